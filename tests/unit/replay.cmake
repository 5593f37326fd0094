# What an H200 gave, held against the executor.
add_test(NAME unit.replay COMMAND assay replay ${PROJECT_SOURCE_DIR}/golden/h200
         --json ${CMAKE_BINARY_DIR}/replay.json)
set_tests_properties(unit.replay PROPERTIES LABELS unit TIMEOUT 300)
