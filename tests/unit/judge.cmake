assay_unit(judge 7 SOURCES judge.c LIBS assay_harness)
