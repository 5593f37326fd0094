# The scripts that count what ran and passed.
add_test(NAME unit.wrappers
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/wrappers.sh ${PROJECT_SOURCE_DIR}/ci/run-suite
                 ${PROJECT_SOURCE_DIR}/ci/run-check)
set_tests_properties(unit.wrappers PROPERTIES LABELS unit TIMEOUT 60)
