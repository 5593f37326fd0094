assay_unit(digests 7 SOURCES digests.c LIBS assay_harness)
