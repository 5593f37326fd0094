/* Checked mode, inside: what every access of an instrumented kernel is compared with.
 *
 *   check_hooks.c    what the compiler calls before each plain access; the device layer's vectors
 *   check_door.c     accesses that the executor makes for a lane: atomics, matrix rows, copies
 *   check_access.h   the fast path: bounds, alignment, written or not, other blocks
 *   check_global.c   its slow half: global memory
 *   check_shared.c   shared memory: who touched which byte since the last barrier
 *   check_order.c    which lanes of a warp have met since
 *   check_shadow.c   the shadow's own memory
 *   check_report.c   how a finding is worded; check_line.c: the source line of a PC
 *   count*.c         sectors, bank conflicts, bytes
 *
 * Device memory has a shadow at fixed offsets: a state per byte, and a cell per byte that says
 * which block has touched it in this launch, and how. Only what is touched takes memory.
 */
#ifndef ASSAY_REFERENCE_SIMT_CHECK_H
#define ASSAY_REFERENCE_SIMT_CHECK_H

#include "internal.h"

/* The state of a byte. */
enum {
    SIMT_OUTSIDE = 0,
    SIMT_ADDRESSABLE = 1, /* of a tensor or a shared array */
    SIMT_WRITTEN = 2,
    SIMT_SOUND = SIMT_ADDRESSABLE | SIMT_WRITTEN
};

typedef enum simt_access {
    SIMT_READ,
    SIMT_WRITE,
    SIMT_ATOMIC_READ,
    SIMT_ATOMIC_WRITE,
    SIMT_ATOMIC_UPDATE
} simt_access;

/* The cell of a byte of device memory: launch, how it was touched, and by which block or MANY.
 * A cell of another launch counts as untouched. */
enum {
    SIMT_CELL_LAUNCHES = 255,
    SIMT_CELL_READ = 1u << 21,
    SIMT_CELL_WROTE = 1u << 22,
    SIMT_CELL_ATOMIC = 1u << 23,
    SIMT_CELL_TOUCHED = SIMT_CELL_READ | SIMT_CELL_WROTE | SIMT_CELL_ATOMIC,
    SIMT_CELL_OWNER = SIMT_CELL_READ - 1,
    SIMT_CELL_MANY = SIMT_CELL_OWNER,
    SIMT_CELL_LAUNCH_SHIFT = 24
};

/* Shared memory, per word or byte: the last plain write, and the plain reads and the atomic
 * accesses since, as far as they happened in the present interval between barriers (`when`). Stamps
 * are times of the block's clock: see check_order.c. */
typedef struct simt_lanes {
    const void *pc;             /* of the latest */
    uint64_t lanes;             /* of the warp, while there is one */
    uint32_t warps;             /* bit per warp */
    uint32_t when, first, last; /* stamps */
} simt_lanes;

typedef struct simt_touch {
    const void *write_pc;
    uint32_t write_when, write_stamp;
    uint32_t writer; /* thread */
    simt_lanes reads, atomics;
} simt_touch;

/* What the lanes of a warp know of each other, and of other warps. */
typedef struct simt_met {
    uint32_t time; /* when lanes of this warp last met: the stamp of what they do now */
    uint32_t all;  /* when all of its lanes last met... */
    bool uniform;  /* ... and no fewer since; else known[j][i] says when j last heard of i */
    uint32_t (*known)[SIMT_MAX_WARP];
    uint32_t heard[SIMT_MAX_WARPS]; /* of warps, through named barriers */
} simt_met;

/* Where an operation of the device layer stands, by the address its call returns to. */
enum { SIMT_SITES = 512 };
typedef struct simt_known_site {
    const void *pc;
    assay_simt_site site;
} simt_known_site;

/* Lines that were looked up already; good until something is unloaded. */
enum { SIMT_LINES = 64 };
typedef struct simt_known_line {
    const void *pc;
    unsigned long long unloads;
    int line;
    char file[60];
} simt_known_line;

typedef struct simt_count simt_count;

struct simt_check {
    uintptr_t arena, shared; /* the ranges that hooks look at */
    size_t arena_size, shared_size;

    uint8_t *state;
    uint32_t *cell;
    uint32_t launch, me;       /* launch number, and this block in it, in the place of a cell */
    uint64_t loaded, stored;   /* distinct bytes, launch by launch */
    const void *atomic_target; /* a device-layer atomic that has been checked */

    uint8_t *shared_state;
    uint32_t *split;         /* per word: the interval in which its bytes are told apart */
    simt_touch *word, *byte; /* per word, per byte */
    size_t shadowed;         /* bytes of shared memory that these are for */
    uint32_t now;            /* the interval: counts barriers and blocks */
    uint32_t clock;          /* counts meetings of lanes */
    simt_met met[SIMT_MAX_WARPS];

    simt_worker *worker;
    simt_count *count; /* NULL: not counting */
    bool counting;
    uint64_t sites;
    simt_known_site site[SIMT_SITES];
    simt_known_line line[SIMT_LINES];
};

/* The launch that runs on this thread; one that watches nothing otherwise. */
extern __thread simt_check *simt_check_here;

/* check_shadow.c */
assay_status simt_check_create(assay_simt *simt);
void simt_check_destroy(simt_check *check);
bool simt_check_begin(simt_check *check, simt_worker *worker);
void simt_check_end(simt_check *check);
bool simt_check_alloc(simt_check *check, const simt_arena *arena, const simt_allocation *made);
void simt_check_free(simt_check *check, const simt_arena *arena, const simt_allocation *gone);
void simt_check_rows(simt_check *check, const simt_arena *arena, const simt_allocation *a);
void simt_check_block(simt_check *check, uint64_t block);
void simt_check_carve(simt_check *check, const simt_shared_array *array);
void simt_check_uncarve(simt_check *check, const simt_shared *shared);

/* check_global.c */
void simt_global_state(simt_check *check, size_t at, size_t bytes, simt_access kind,
                       const void *pc);
void simt_global_bytes(simt_check *check, size_t at, size_t bytes, simt_access kind,
                       const void *pc);
_Noreturn void simt_global_conflict(const simt_check *check, size_t at, size_t bytes,
                                    simt_access kind, const void *pc);

/* check_shared.c */
void simt_shared_access(simt_check *check, size_t at, size_t bytes, simt_access kind,
                        const void *pc);

/* check_door.c */
void simt_check_door(simt_check *check, const simt_lane *lane, const void *address, size_t bytes,
                     simt_access kind, const assay_simt_site *site);
void simt_check_copy_begin(simt_check *check, const simt_lane *lane, const void *destination,
                           size_t bytes, const void *source, size_t valid,
                           const assay_simt_site *site);
void simt_check_copy_end(simt_check *check, const simt_lane *lane, const void *destination,
                         size_t bytes, const assay_simt_site *site);

/* check_order.c */
bool simt_met_create(simt_check *check);
void simt_met_destroy(simt_check *check);
void simt_met_begin(simt_check *check);
void simt_check_barrier(simt_check *check);
void simt_check_meet(simt_check *check, const simt_warp *warp, uint64_t mask);
bool simt_ordered(const simt_check *check, const simt_lane *lane, const simt_lane *other,
                  uint32_t stamp);
void simt_check_named(simt_check *check, uint32_t came, const uint64_t *waited);

/* check_report.c */
void simt_check_know(simt_check *check, const void *pc, const char *operation, const char *file,
                     int line);
_Noreturn void simt_check_fail(const simt_check *check, const void *pc, size_t bytes,
                               simt_access kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
_Noreturn void simt_check_misaligned(const simt_check *check, uintptr_t address, size_t bytes,
                                     simt_access kind, const void *pc);
void simt_check_where(const simt_check *check, const void *pc, char *text, size_t size);
const char *simt_access_verb(simt_access kind);

/* check_name.c */
const simt_allocation *simt_arena_holder(const simt_arena *arena, uintptr_t address);
void simt_name_address(const simt_check *check, uintptr_t address, char *text, size_t size);

/* check_line.c */
const simt_known_line *simt_line_find(simt_check *check, const void *pc);

/* count.c, count_request.c */
bool simt_count_create(simt_check *check);
void simt_count_destroy(simt_check *check);
void simt_count_reset(simt_check *check);
void simt_count_begin(simt_count *count);
void simt_count_access(simt_check *check, uintptr_t address, size_t bytes, simt_access kind,
                       bool shared, const void *pc);
void simt_count_meet(simt_count *count, uint32_t warp, uint64_t lanes, bool whole);
void simt_count_barrier(simt_count *count, uint32_t warps, uint32_t lanes);
void simt_count_named(simt_count *count, uint32_t lanes);
void simt_count_block(simt_count *count, uint32_t warps);
assay_simt_counters simt_count_totals(const simt_check *check);

#endif
