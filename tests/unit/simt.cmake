# The SIMT executor.
assay_unit(simt 77
    SOURCES simt_geometry.c simt_warp.c simt_barrier.c simt_schedule.c simt_atomic.c simt_arena.c
            simt_access.c simt_divergence.c simt_limits.c
    LIBS assay_simt)
