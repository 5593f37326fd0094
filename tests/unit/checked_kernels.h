/* Kernels with planted faults: what checked.c and checked_kernels.cu agree on. */
#ifndef ASSAY_TESTS_UNIT_CHECKED_KERNELS_H
#define ASSAY_TESTS_UNIT_CHECKED_KERNELS_H

#include <stdint.h>

/* One access of each kind that a hook or a door of the executor sees. */
#define CHECKED_HOOKS(X)                                                                           \
    X(read1, 1, 'r')                                                                               \
    X(write1, 1, 'w')                                                                              \
    X(read2, 2, 'r')                                                                               \
    X(write2, 2, 'w')                                                                              \
    X(read4, 4, 'r')                                                                               \
    X(write4, 4, 'w')                                                                              \
    X(read8, 8, 'r')                                                                               \
    X(write8, 8, 'w')                                                                              \
    X(read16, 16, 'r')                                                                             \
    X(write16, 16, 'w')                                                                            \
    X(load_chunk, 16, 'r')                                                                         \
    X(store_chunk, 16, 'w')                                                                        \
    X(read_range, 24, 'r')                                                                         \
    X(write_range, 24, 'w')                                                                        \
    X(atomic_load, 4, 'l')                                                                         \
    X(atomic_store, 4, 's')                                                                        \
    X(atomic_add, 4, 'a')                                                                          \
    X(atomic_add8, 8, 'a')                                                                         \
    X(atomic_cas, 4, 'a')                                                                          \
    X(builtin_add1, 1, 'a')                                                                        \
    X(builtin_add2, 2, 'a')                                                                        \
    X(builtin_cas4, 4, 'a')                                                                        \
    X(builtin_load8, 8, 'l')

#define CHECKED_ENUM(name, bytes, kind) HOOK_##name,
enum { CHECKED_HOOKS(CHECKED_ENUM) HOOK_COUNT, HOOK_none = HOOK_COUNT };
#undef CHECKED_ENUM

/* What lies between the first and the second access of a pair. */
enum {
    BETWEEN_nothing,
    BETWEEN_barrier,
    BETWEEN_warp_sync, /* all lanes of each warp */
    BETWEEN_shuffle,   /* likewise */
    BETWEEN_pair_sync, /* lanes 3 and 9 of each warp */
    BETWEEN_one_sync,  /* lanes 3 and 10: the second lane is not among them */
    BETWEEN_chain,     /* lanes 3 and 10, then 9 and 10 */
    BETWEEN_COUNT
};

enum {
    CHECKED_ONE,    /* thread `thread` of block `block` makes access `first` at `at` */
    CHECKED_BLOCKS, /* block 0 makes access `first`, block 1 access `second`, at `at` */
    CHECKED_SHARED, /* thread 3 makes `first`, then thread `thread` `second`, on shared memory */
    CHECKED_SHARED_ONE, /* thread `thread` makes access `first` at `offset` of a shared array */
    CHECKED_HISTOGRAM,  /* shared atomics by all, then plain reads: after a barrier, a warp_sync */
    CHECKED_LOAD,       /* lane i loads f32 number i * stride + offset */
    CHECKED_LOAD_CHUNK, /* lane i loads chunk number i * stride */
    CHECKED_BANKS,      /* lane i stores, then loads, shared word number i * stride */
    CHECKED_BANKS_8,
    CHECKED_COPIES, /* asynchronous copies; `first` is the fault */
    CHECKED_NAMED,  /* producers and consumers with named barriers; likewise */
    CHECKED_MATRIX, /* matrix rows stored and loaded; likewise */
    CHECKED_NORM,   /* NORM_COUNT instances from here on */
    CHECKED_KERNELS
};

enum { COPIES_right, COPIES_no_wait, COPIES_no_barrier, COPIES_no_second_barrier, COPIES_outside };
enum { NAMED_right, NAMED_full_too_late, NAMED_empty_too_late };
enum { MATRIX_right, MATRIX_unwritten, MATRIX_race };

/* The small norm, right and with a fault. */
enum {
    NORM_right,
    NORM_no_barrier_before_read,
    NORM_no_barrier_between_rows,
    NORM_tail_read,         /* one element too many */
    NORM_reads_output,      /* y before it is written */
    NORM_partial_unwritten, /* the last warp leaves its shared partial sum out */
    NORM_tail_write,
    NORM_COUNT
};

typedef struct checked_params {
    char *at, *other;
    int64_t offset;
    uint32_t block, thread, stride;
    int32_t first, second, between;
    /* of the norm */
    const uint16_t *x;
    uint16_t *y;
    int64_t rows, d, row_stride;
} checked_params;

#endif
