assay_unit(npy 11 SOURCES npy.c npy_hostile.c LIBS assay_harness)
