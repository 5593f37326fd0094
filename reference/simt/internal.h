/* What the executor's files share. Nothing outside reference/simt includes this.
 *
 *   executor 1 -- n worker (one per host thread; worker 0 is whoever calls assay_simt_run)
 *   worker   1 -- n fiber  (stacks, taken by lanes as they start and given back as they return)
 *   worker   1 -- 1 block at a time, with its warps and lanes in flat arrays
 *
 * A lane that starts after another has returned continues on that one's stack without a switch, so
 * a kernel in which nothing waits needs one fiber.
 */
#ifndef ASSAY_REFERENCE_SIMT_INTERNAL_H
#define ASSAY_REFERENCE_SIMT_INTERNAL_H

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "assay/simt.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifndef SIMT_ASAN
#define SIMT_ASAN 0
#endif

enum {
    SIMT_MAX_WARP = 64,
    SIMT_MAX_LANES = 1024,
    SIMT_MAX_WARPS = SIMT_MAX_LANES / 32,
    SIMT_MAX_SHARED = 64,    /* shared arrays of one kernel */
    SIMT_FREED = 16,         /* freed allocations remembered */
    SIMT_GUARD = 64,         /* least guard bytes on either side of an allocation */
    SIMT_GUARD_BYTE = 0xa5,  /* what they hold */
    SIMT_POISON_BYTE = 0xff, /* what unwritten memory holds: NaN in every format, -1 as an index */
    SIMT_MESSAGE = 1000,
    SIMT_MMA_SHAPES = 16,                 /* at least ASSAY_SIMT_MMA_SHAPE_COUNT */
    SIMT_STACK_KIB = SIMT_ASAN ? 256 : 64 /* sanitizer frames are several times larger */
};

/* ---- Fibers (fiber.c) ----------------------------------------------------------------------- */

typedef struct simt_fiber {
    void *context;   /* where it stands; NULL: needs making */
    const void *low; /* its stack, lowest address */
    size_t size;
    void *fake; /* the address sanitizer's fake stack */
} simt_fiber;

typedef struct simt_stacks {
    char *base; /* SIMT_MAX_LANES slots, each a guard and a stack */
    uint32_t made, idle_count;
    simt_fiber *idle[SIMT_MAX_LANES]; /* last in, first out: the warmest stack is reused */
    simt_fiber fiber[SIMT_MAX_LANES];
} simt_stacks;

/* A worker's stack for signal handlers, and the thread's own that it replaces (fault.c). */
typedef struct simt_altstack {
    void *own, *previous_low;
    size_t previous_size;
    int previous_flags;
} simt_altstack;

/* What a thread's floating-point environment was (probe.c). */
typedef struct simt_float_environment {
    unsigned control; /* x86: MXCSR */
    fenv_t environment;
} simt_float_environment;

/* ---- Block state ----------------------------------------------------------------------------- */

/* Why a lane last stopped running. */
typedef enum simt_state {
    SIMT_NOT_STARTED = 0,
    SIMT_IN_WARP_OP,
    SIMT_IN_BARRIER,
    SIMT_POLLING, /* gave way at an atomic point; can run */
    SIMT_RETURNED
} simt_state;

typedef struct simt_worker simt_worker;
typedef struct simt_check simt_check; /* check.h */
typedef struct simt_warp simt_warp;

typedef struct simt_lane {
    assay_simt_lane self; /* first: assay_simt_self points here */
    simt_worker *worker;
    simt_warp *warp;
    simt_fiber *fiber;           /* NULL until it starts */
    const assay_simt_site *site; /* where it waits or polls; in other states not valid */
    simt_state state;
} simt_lane;

/* A warp operation in flight. Its slot is the lane that arrived first, and waits in it. */
typedef struct simt_group {
    uint64_t mask, arrived; /* arrived == 0: free */
    const assay_simt_site *site;
    assay_simt_warp_op op;
    uint32_t width;
} simt_group;

struct simt_warp {
    uint64_t lanes; /* those that exist */
    uint64_t ready; /* can run, and are not running */
    uint64_t returned, in_op, in_barrier;
    simt_lane *lane; /* its lane 0 */
    uint32_t index;
    uint32_t arg[SIMT_MAX_WARP];
    uint8_t slot[SIMT_MAX_WARP]; /* by lowest lane of a mask: where its group was last seen */
    uint64_t value[SIMT_MAX_WARP], result[SIMT_MAX_WARP];
    simt_group group[SIMT_MAX_WARP];
};

typedef struct simt_shared_array {
    const char *name, *file;
    int line;
    size_t bytes, alignment;
    unsigned char *address, *before, *after; /* red zones: [before, address), [end, after) */
} simt_shared_array;

typedef struct simt_shared {
    unsigned char *map; /* margin, arena, margin */
    size_t capacity, margin;
    size_t used, declared; /* bytes carved, bytes the kernel asked for */
    uint32_t count;
    simt_shared_array array[SIMT_MAX_SHARED];
} simt_shared;

/* ---- Launch ---------------------------------------------------------------------------------- */

typedef struct simt_job {
    const assay_simt_launch *launch;
    const assay_chip *chip;
    uint64_t seed, blocks;
    uint32_t lanes;            /* of one block */
    _Atomic uint64_t next;     /* position, in visiting order, of the next block to hand out */
    _Atomic uint64_t finished; /* blocks */
    _Atomic uint64_t failed;   /* position of the first failed block; UINT64_MAX: none */
    bool closed;               /* to helpers; under the pool's lock */
    pthread_mutex_t lock;      /* of status and message, which belong to `failed` */
    assay_status status;
    char message[SIMT_MESSAGE];
} simt_job;

typedef enum simt_outcome { SIMT_FINISHED, SIMT_FAILED, SIMT_ABANDONED } simt_outcome;

struct simt_worker {
    assay_simt *simt;
    simt_job *job;
    uint64_t position; /* of its block, in visiting order */
    _Atomic bool in_block;

    /* schedule.c */
    simt_lane *running;
    uint64_t ready_warps;
    uint64_t random; /* generator state; 0: ascending order */
    uint32_t lanes, warps, live;
    uint32_t yield_warp, yield_lane; /* whom the last yield chose */

    /* barrier.c */
    uint32_t at_barrier;
    const assay_simt_site *barrier_site;
    const simt_lane *barrier_first;

    /* atomic.c */
    bool passed_atomic; /* since the last rendezvous */
    uint32_t points, yield_at;
    uint64_t spins, alternations;
    _Atomic uint64_t windows; /* spin windows completed without progress; 0: not spinning */
    uint64_t seen_finished, *seen_windows;
    bool seen;

    struct simt_async *async; /* async.c: NULL until a kernel copies */
    struct simt_named *named; /* named.c: NULL until a kernel has a named barrier */

    /* matrix.c: the chip's instructions, looked up when first used */
    const assay_chip *mma_chip;
    const struct assay_mma *mma[SIMT_MMA_SHAPES];

    /* block.c: what the running lane wants run on the host thread's own, deep stack; NULL: nothing
     */
    void (*errand)(void *context);
    void *errand_context;

    simt_fiber base; /* the host thread's own stack */
    simt_stacks stacks;
    simt_altstack altstack;
    simt_shared shared;
    assay_simt_stats stats;
    simt_outcome outcome;
    char message[SIMT_MESSAGE];
    simt_check *check; /* NULL: accesses are not looked at */

    assay_geometry geometry; /* that lane[] was laid out for */
    uint32_t warp_size;
    simt_warp warp[SIMT_MAX_WARPS];
    simt_lane lane[SIMT_MAX_LANES];
};

/* ---- Device memory (arena.c, guard.c) -------------------------------------------------------- */

typedef struct simt_allocation {
    char *user, *pages; /* what the caller got; the mapped span around it */
    size_t bytes, span;
    char name[48];
    bool declared; /* `layout` is of the tensor in it */
    assay_simt_layout layout;
} simt_allocation;

typedef struct simt_arena {
    char *base;
    size_t size, page, gap; /* gap: least unmapped distance between two spans */
    simt_allocation *live;  /* by address */
    size_t count, capacity;
    simt_allocation freed[SIMT_FREED]; /* the last ones, for messages */
    unsigned freed_next;
} simt_arena;

struct assay_simt {
    const assay_chip *chip;
    uint64_t seed;
    simt_arena arena;
    assay_simt_stats stats;
    uint32_t worker_count;
    simt_worker **worker; /* made when first needed */

    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t *thread; /* helpers: worker 1 and up */
    uint32_t threads, inside;
    simt_job *job;       /* open for helpers to join */
    uint64_t generation; /* of `job` */
    bool quit, pool_made;
    simt_check *check; /* NULL: not a checked executor */
};

/* ---- Functions ------------------------------------------------------------------------------- */

static inline simt_lane *simt_self(void) { return (simt_lane *)(uintptr_t)assay_simt_self; }

static inline uint64_t simt_bit(uint32_t lane) { return UINT64_C(1) << lane; }

static inline uint32_t simt_lowest(uint64_t mask) { return (uint32_t)__builtin_ctzll(mask); }

static inline bool simt_same_text(const char *a, const char *b) {
    return a == b || strcmp(a, b) == 0;
}

/* Sites are often built on the calling lane's stack, so the same one has many addresses. */
static inline bool simt_same_site(const assay_simt_site *a, const assay_simt_site *b) {
    return a == b || (a->line == b->line && simt_same_text(a->operation, b->operation) &&
                      simt_same_text(a->file, b->file));
}

/* arena.c, guard.c */
assay_status simt_arena_create(simt_arena *arena, size_t bytes);
void simt_arena_destroy(simt_arena *arena);
void simt_guard_fill(const simt_allocation *allocation);
bool simt_guard_broken(const simt_allocation *allocation, char *text, size_t size);
assay_status simt_guard_check(const simt_arena *arena, const char *kernel);
const simt_allocation *simt_arena_nearest(const simt_arena *arena, uintptr_t address,
                                          size_t *distance, bool *before);
const simt_allocation *simt_arena_freed(const simt_arena *arena, uintptr_t address);
bool simt_arena_locate(const simt_arena *arena, uintptr_t address, char *text, size_t size);

/* fiber.c */
bool simt_stacks_create(simt_stacks *stacks);
void simt_stacks_destroy(simt_stacks *stacks);
void simt_stacks_abandon(simt_stacks *stacks);
bool simt_stacks_guard_holds(const simt_stacks *stacks, uintptr_t address);
simt_fiber *simt_fiber_take(simt_stacks *stacks);
void simt_fiber_switch(simt_fiber *from, simt_fiber *to);
_Noreturn void simt_fiber_leave(simt_fiber *from, simt_fiber *to);
_Noreturn void simt_fiber_main(void); /* block.c: what every fiber runs */

/* schedule.c, order.c */
simt_lane *simt_next(simt_worker *worker);
void simt_wait(simt_lane *lane, simt_state state, const assay_simt_site *site);
void simt_yield(simt_lane *lane);
void simt_ready(simt_worker *worker, simt_warp *warp, uint64_t lanes);
uint64_t simt_order_block(uint64_t seed, uint64_t position, uint64_t blocks);
uint64_t simt_order_mix(uint64_t value);
uint32_t simt_order_random(uint64_t *state);

/* block.c */
bool simt_worker_prepare(simt_worker *worker, simt_job *job);
void simt_block_run(simt_worker *worker, uint64_t block);

void simt_run_deep(simt_lane *lane, void (*errand)(void *context), void *context);

/* warp.c, barrier.c */
void simt_warp_leave(const simt_lane *lane, const char *how, const assay_simt_site *site);
void simt_barrier_leave(const simt_lane *lane);

/* atomic.c */
void simt_rendezvous(simt_worker *worker);
void simt_lane_progress(simt_worker *worker);

/* shared.c */
assay_status simt_shared_create(simt_shared *shared, const assay_chip *chip);
void simt_shared_destroy(simt_shared *shared);
void simt_shared_begin(simt_shared *shared);
void simt_shared_check(simt_worker *worker);
bool simt_shared_locate(const simt_shared *shared, uintptr_t address, char *text, size_t size);

/* error.c, stall.c */
_Noreturn void simt_fail(const simt_lane *lane, const assay_simt_site *site, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
_Noreturn void simt_abandon(simt_worker *worker);
void simt_block_fail(simt_worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void simt_place(const simt_lane *lane, char *text, size_t size);
const char *simt_basename(const char *path);
_Noreturn void simt_stalled(simt_worker *worker);
void simt_census(const simt_worker *worker, char *text, size_t size);
bool simt_should_abandon(const simt_worker *worker);

/* fault.c */
void simt_fault_install(void);
void simt_fault_remove(void);
bool simt_altstack_enter(simt_altstack *alt);
void simt_altstack_leave(const simt_altstack *alt);

/* pool.c */
assay_status simt_pool_create(assay_simt *simt);
void simt_pool_destroy(assay_simt *simt);
simt_worker *simt_pool_worker(assay_simt *simt, uint32_t index);
void simt_pool_open(assay_simt *simt, simt_job *job);
void simt_pool_close(assay_simt *simt, simt_job *job);
void simt_work(simt_worker *worker, simt_job *job);

/* launch.c */
void simt_stats_add(assay_simt_stats *sum, const assay_simt_stats *more);

/* probe.c */
assay_status simt_probe(void);
simt_float_environment simt_float_environment_enter(void);
void simt_float_environment_leave(simt_float_environment before);

#endif
