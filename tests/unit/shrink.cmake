assay_unit(shrink 11 SOURCES shrink.c LIBS assay_harness)
