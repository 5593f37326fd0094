# The program from outside. Python counts its own tests and fails when there are none.
add_test(NAME unit.commands COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/commands.py $<TARGET_FILE:assay>)
set_tests_properties(unit.commands PROPERTIES LABELS unit TIMEOUT 120)
