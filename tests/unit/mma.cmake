# The matrix-unit models. The recorded vectors count once they are there.
set(mma_sources mma.c mma_parameters.c mma_fragment.c mma_kit.c
    ${PROJECT_SOURCE_DIR}/tests/gpu/mma_probe_host.c)
set(mma_tests 29)
if(EXISTS ${PROJECT_SOURCE_DIR}/golden/h200/mma_vectors.txt)
    list(APPEND mma_sources mma_replay.c ${PROJECT_SOURCE_DIR}/tests/gpu/mma_probe_file.c)
    math(EXPR mma_tests "${mma_tests} + 1")
endif()
assay_unit(mma ${mma_tests} SOURCES ${mma_sources} LIBS assay_mma assay_formats)
target_include_directories(unit_mma PRIVATE ${PROJECT_SOURCE_DIR}/tests/gpu)
target_compile_definitions(unit_mma PRIVATE ASSAY_GOLDEN="${PROJECT_SOURCE_DIR}/golden")
