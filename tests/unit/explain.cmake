assay_unit(explain 8 SOURCES explain.c LIBS assay_harness)
