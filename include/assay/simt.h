/* The SIMT executor: runs a kernel's own source on the CPU, lane by lane.
 *
 * Two halves. The host half creates an executor, allocates "device" memory and launches. The lane
 * half is what kernels/device/simt.h calls from inside a kernel; nothing else may.
 *
 * A launch runs grid blocks over host threads; a block's lanes are fibers of one host thread and
 * never leave it. Warp operations rendezvous per warp and mask, barriers per block. What a GPU
 * would hang on or leave undefined ends the launch with ASSAY_ERR_KERNEL and a message naming
 * kernel, block, lane, operation and source line: a divergent barrier, a lane missing from a warp
 * operation, a deadlock, too much shared memory, a block too large, an access outside every
 * allocation, a write into a guard zone.
 *
 * A checked executor looks at every single access of a kernel that was built for it (see
 * docs/executor.md): bounds, alignment, reads of what nobody wrote, races in shared memory,
 * conflicts between blocks. It can count them, too.
 */
#ifndef ASSAY_SIMT_H
#define ASSAY_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/chip.h"
#include "assay/kernel.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Host half ------------------------------------------------------------------------------ */

typedef struct assay_simt assay_simt;

typedef struct assay_simt_options {
    const assay_chip *chip; /* limits and warp size; NULL: "h200" */
    uint64_t seed;          /* permutes the order of lanes, warps and blocks; 0: ascending */
    int host_threads;       /* 0: one per online CPU */
    size_t arena_bytes;     /* address space reserved for device memory; 0: 256 GiB */
    bool checked;           /* look at every access; runs on one host thread */
} assay_simt_options;

/* Creates an executor; options may be NULL. One host thread uses it at a time. ERR_UNSUPPORTED when
 * the host fails the arithmetic probe (contraction, fused multiply-add, rounding, subnormals: see
 * reference/simt/probe.c). */
assay_status assay_simt_create(const assay_simt_options *options, assay_simt **out);
void assay_simt_destroy(assay_simt *simt);

void assay_simt_set_chip(assay_simt *simt, const assay_chip *chip);
void assay_simt_set_seed(assay_simt *simt, uint64_t seed);
const assay_chip *assay_simt_chip(const assay_simt *simt);
bool assay_simt_is_checked(const assay_simt *simt);

/* Device memory. `address % 256 == offset % 256`, so a test can misalign on purpose. Guard bytes
 * surround every allocation, and unmapped pages surround those. Contents are poisoned (0xff)
 * up to a size of 64 MiB, untouched zero pages above. `name` (a tensor's role) appears in
 * messages. bytes may be 0: a valid pointer to nothing. */
assay_status assay_simt_alloc(assay_simt *simt, const char *name, size_t bytes, size_t offset,
                              void **out);
assay_status assay_simt_free(assay_simt *simt, void *pointer);

/* What of an allocation is a tensor: rows along the last dimension. Checked mode then takes an
 * access to the gaps between rows for one out of bounds, and names elements by their indices.
 * Without a layout all bytes count as the tensor, and as written: the executor does not see what
 * the host writes. Strides are in elements, the last is 1. */
#define ASSAY_SIMT_RANK 4
typedef struct assay_simt_layout {
    size_t element_bytes;
    int rank; /* 1 to ASSAY_SIMT_RANK */
    int64_t shape[ASSAY_SIMT_RANK], stride[ASSAY_SIMT_RANK];
    bool written; /* false: a kernel must write an element before it reads it */
} assay_simt_layout;

/* Nothing happens unless the executor is checked. ERR_ARGUMENT: no live allocation starts at the
 * pointer, or the layout does not fit into it. */
assay_status assay_simt_declare(assay_simt *simt, void *pointer, const assay_simt_layout *layout);

/* Verifies the guard bytes of every live allocation; ERR_KERNEL names the tensor and the distance.
 * assay_simt_run does this too, after each launch. */
assay_status assay_simt_check_guards(assay_simt *simt);

/* One kernel launch, run to completion. */
typedef struct assay_simt_launch {
    const char *name;                  /* for messages */
    void (*entry)(const void *params); /* called once per lane */
    const void *params;
    assay_geometry geometry;
} assay_simt_launch;
assay_status assay_simt_run(assay_simt *simt, const assay_simt_launch *launch);

/* Counts of the last launch. */
typedef struct assay_simt_stats {
    uint64_t blocks, lanes;
    uint64_t barriers; /* block-wide rendezvous completed */
    uint64_t warp_ops; /* warp-wide rendezvous completed */
    uint64_t switches; /* fiber switches */
} assay_simt_stats;
assay_simt_stats assay_simt_last_stats(const assay_simt *simt);

/* Counts of a checked executor's launches since counting was last switched on: exact, and the same
 * on every run. An access is one lane's; a request is a warp's: the k-th time that its lanes
 * execute one access since they last met. A sector is 32 aligned bytes of global memory. */
typedef struct assay_simt_counters {
    uint64_t global_loads, global_stores, global_atomics;          /* accesses */
    uint64_t bytes_loaded, bytes_stored;                           /* by them */
    uint64_t unique_loaded, unique_stored;                         /* distinct bytes: the least */
    uint64_t load_requests, load_sectors, least_load_sectors;      /* least: the bytes, packed */
    uint64_t store_requests, store_sectors, least_store_sectors;   /* likewise */
    uint64_t shared_loads, shared_stores, shared_atomics;          /* accesses */
    uint64_t shared_requests, shared_wavefronts, least_wavefronts; /* excess: bank conflicts */
    uint64_t barriers, warp_ops;                                   /* of blocks, of warps */
    uint64_t lane_operations; /* accesses, and arrivals of lanes at barriers and warp operations */
} assay_simt_counters;

/* Switching it on starts from zero. False: not a checked executor, or no memory for the tables. */
bool assay_simt_set_counting(assay_simt *simt, bool counting);
assay_simt_counters assay_simt_counted(const assay_simt *simt);

/* ---- Lane half ------------------------------------------------------------------------------ */

/* The running lane's place. */
typedef struct assay_simt_lane {
    uint32_t thread_idx[3], block_idx[3], block_dim[3], grid_dim[3];
    uint32_t warp_size; /* 32 or 64 */
    uint32_t lane;      /* within the warp */
    uint32_t warp;      /* within the block */
    uint32_t thread;    /* linear within the block: x fastest */
} assay_simt_lane;

/* NULL outside a launch. One per host thread; changes at every fiber switch. */
extern __thread const assay_simt_lane *assay_simt_self;

/* Where an operation stands in the kernel source. It may live on the caller's stack; its strings
 * are literals. Two sites are the same when their texts and lines are. */
typedef struct assay_simt_site {
    const char *operation; /* "dev_barrier", "dev_shfl_xor", ... a string literal */
    const char *file;
    int line;
} assay_simt_site;

/* Block barrier. Every lane of the block must reach the same site. A lane that has already
 * returned is a divergent barrier, also where a given chip would let it pass. */
void assay_simt_barrier(const assay_simt_site *site);

typedef enum assay_simt_warp_op {
    ASSAY_SIMT_SYNC,      /* returns 0 */
    ASSAY_SIMT_SHFL,      /* value of lane `arg` */
    ASSAY_SIMT_SHFL_UP,   /* value of lane - arg, own value when that is below the segment */
    ASSAY_SIMT_SHFL_DOWN, /* value of lane + arg, own value when beyond the segment */
    ASSAY_SIMT_SHFL_XOR,  /* value of lane ^ arg, own value when beyond the segment */
    ASSAY_SIMT_BALLOT,    /* bit per lane of `mask` whose value is non-zero */
    ASSAY_SIMT_ANY,
    ASSAY_SIMT_ALL
} assay_simt_warp_op;

/* Warp-wide operation over the lanes of `mask` (bit per lane). Every lane of the mask must call it
 * with the same op, mask, width and site; the caller must be in the mask; the mask may name only
 * lanes that exist. `width`: segment of the shuffles, a power of two up to the warp size. A shuffle
 * that reads a lane outside the mask is an error (undefined on the chips). */
uint64_t assay_simt_warp(assay_simt_warp_op op, uint64_t mask, uint64_t value, uint32_t arg,
                         uint32_t width, const assay_simt_site *site);

/* Shared memory of the block: same (name, site, bytes, alignment) gives the same address to every
 * lane, with red zones around it, filled with 0xff before the block starts. Alignment: a power of
 * two up to 1024; at most 63 arrays in a kernel. `name` is a literal. */
void *assay_simt_shared(const char *name, size_t bytes, size_t alignment,
                        const assay_simt_site *site);

/* The dynamic part (geometry.shared_bytes), 16-byte aligned. */
void *assay_simt_shared_dynamic(const assay_simt_site *site);

/* Called before an atomic access: lets other lanes of the block run now and then, and ends a spin
 * that cannot end (no lane of the block does anything else any more) as a deadlock. */
void assay_simt_atomic_point(const assay_simt_site *site);

/* ---- Lane half of kernels built for a checked executor ----------------------------------------
 */

/* One 16-byte access, checked and made. */
typedef struct assay_simt_16 {
    uint64_t low, high;
} assay_simt_16;
assay_simt_16 assay_simt_load_16(const void *address, const char *operation, const char *file,
                                 int line);
void assay_simt_store_16(void *address, assay_simt_16 value, const char *operation,
                         const char *file, int line);

/* Checks an atomic access that the caller is about to make. */
typedef enum assay_simt_atomic {
    ASSAY_SIMT_ATOMIC_LOAD,
    ASSAY_SIMT_ATOMIC_STORE,
    ASSAY_SIMT_ATOMIC_UPDATE
} assay_simt_atomic;
void assay_simt_atomic_access(assay_simt_atomic kind, const void *address, size_t bytes,
                              const assay_simt_site *site);

/* A trap: the kernel found its own precondition violated. Does not return. */
void assay_simt_trap(const char *message, const assay_simt_site *site) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
