assay_unit(rms_norm 12 SOURCES rms_norm.c LIBS assay_harness)
assay_unit(runner 16 SOURCES runner.c LIBS assay_harness)
