assay_unit(gemm_bf16_oracle 7 SOURCES gemm_bf16_oracle.c LIBS assay_oracle assay_mma)
