# The kernels themselves, run by the executor through their whole ci grid and judged; and a smaller
# grid as an AMD chip with waves of 64 would run it.
add_test(NAME unit.kernels
         COMMAND ${PROJECT_SOURCE_DIR}/ci/run-check $<TARGET_FILE:assay> 3326
                 ${CMAKE_BINARY_DIR}/unit-kernels.json --level ci --quiet)
add_test(NAME unit.kernels_wave64
         COMMAND ${PROJECT_SOURCE_DIR}/ci/run-check $<TARGET_FILE:assay> 280
                 ${CMAKE_BINARY_DIR}/unit-kernels-wave64.json rms_norm --level smoke --chip mi300x --seed 1 --quiet)
set_tests_properties(unit.kernels unit.kernels_wave64 PROPERTIES LABELS unit TIMEOUT 600)
