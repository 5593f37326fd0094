assay_unit(backend_gpu 6 SOURCES backend_gpu.c LIBS assay_harness)
