assay_compile_kernel(unit/device_layer.cu device_layer device_layer_objects)
assay_compile_kernel(gpu/forms.cu forms_unit forms_unit_objects)
set(device_layer_simt ${ASSAY_GENERATED}/device_layer_simt.cpp ${ASSAY_GENERATED}/forms_unit_simt.cpp)
assay_unit(device_layer 10 SOURCES device_layer.c ${device_layer_simt} LIBS assay_simt assay_formats)
target_include_directories(unit_device_layer PRIVATE ${PROJECT_SOURCE_DIR}/kernels
                           ${PROJECT_SOURCE_DIR}/tests)
set_source_files_properties(${device_layer_simt} PROPERTIES
    COMPILE_OPTIONS "${ASSAY_DEVICE_FLAGS};-fno-exceptions;-fno-rtti;-Wno-pedantic")
