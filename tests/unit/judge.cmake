assay_unit(judge 8 SOURCES judge.c LIBS assay_harness)
