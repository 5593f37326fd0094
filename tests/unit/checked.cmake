# Checked mode: planted faults through instrumented kernels, and the production kernels' smoke grid, in
# which nothing is to be found. Other sanitizers exclude it.
if(ASSAY_CHECKED)
    add_test(NAME unit.checked_kernels_smoke
             COMMAND ${PROJECT_SOURCE_DIR}/ci/run-check $<TARGET_FILE:assay> 288
                     ${CMAKE_BINARY_DIR}/unit-checked.json --checked --level smoke --quiet)
    set_tests_properties(unit.checked_kernels_smoke PROPERTIES LABELS unit TIMEOUT 120)
    assay_compile_kernel(unit/checked_kernels.cu checked_kernels checked_objects)
    assay_unit(checked 33
        SOURCES checked_access.c checked_async.c checked_race.c checked_norm.c checked_count.c
                ${checked_objects_checked}
        LIBS assay_kernels)
    target_include_directories(unit_checked PRIVATE ${PROJECT_SOURCE_DIR}/kernels
                               ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(unit_checked PRIVATE
        CHECKED_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}/checked_kernels.cu")
    set_source_files_properties(${checked_objects_checked} PROPERTIES COMPILE_OPTIONS
        "${ASSAY_DEVICE_FLAGS};${ASSAY_CHECKED_FLAGS};-fno-exceptions;-fno-rtti;-Wno-pedantic")
endif()
