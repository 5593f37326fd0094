# The executor's matrix operations, asynchronous copies and partial barriers.
assay_unit(simt_matrix 5 SOURCES simt_matrix.c LIBS assay_simt assay_mma)
assay_unit(simt_async 6 SOURCES simt_async.c LIBS assay_simt)
