assay_unit(explain 11 SOURCES explain.c error_map.c LIBS assay_harness)
