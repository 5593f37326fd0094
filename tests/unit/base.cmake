assay_unit(base 6 SOURCES base.c LIBS assay_kernels)
