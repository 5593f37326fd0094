assay_compile_kernel(unit/device_matrix.cu device_matrix device_matrix_objects)
set(device_matrix_simt ${ASSAY_GENERATED}/device_matrix_simt.cpp)
assay_unit(device_matrix 4 SOURCES device_matrix.c ${device_matrix_simt} LIBS assay_simt assay_formats)
target_include_directories(unit_device_matrix PRIVATE ${PROJECT_SOURCE_DIR}/kernels
                           ${PROJECT_SOURCE_DIR}/tests)
set_source_files_properties(${device_matrix_simt} PROPERTIES
    COMPILE_OPTIONS "${ASSAY_DEVICE_FLAGS};-fno-exceptions;-fno-rtti;-Wno-pedantic")
