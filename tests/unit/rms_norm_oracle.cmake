assay_unit(rms_norm_oracle 20 SOURCES rms_norm_oracle.c LIBS assay_oracle assay_formats)
