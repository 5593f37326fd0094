assay_unit(random 4 SOURCES random.c LIBS m)
target_include_directories(unit_random PRIVATE ${PROJECT_SOURCE_DIR}/tests/harness)
