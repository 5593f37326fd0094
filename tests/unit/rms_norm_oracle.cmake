assay_unit(rms_norm_oracle 20
    SOURCES rms_norm_oracle.c rms_norm_oracle_twin.c rms_norm_oracle_legal.c
            rms_norm_oracle_ablation.c rms_norm_oracle_kit.c
    LIBS assay_oracle assay_formats)
