assay_unit(mutate 11 SOURCES mutate.c LIBS assay_harness)
