assay_unit(gemm_bf16 9 SOURCES gemm_bf16.c LIBS assay_harness assay_mma)
