assay_unit(base 5 SOURCES base.c LIBS assay_kernels)
