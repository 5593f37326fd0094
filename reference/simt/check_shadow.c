/* The shadow's memory: reserved beside the arena, readable everywhere, writable where something is
 * allocated. Untouched pages of it read as zeros: not part of anything. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"

static simt_check nothing; /* watches no address */
__thread simt_check *simt_check_here = &nothing;

static const size_t slack = (size_t)64 << 10;     /* an access may reach beyond the end */
static const size_t keep_limit = (size_t)1 << 20; /* spans up to this keep their shadow's pages */
static const size_t whole_limit = (size_t)64
                                  << 20; /* larger tensors are marked by row, or as used */

static void *reserve(size_t bytes, int protection) {
    void *map = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

assay_status simt_check_create(assay_simt *simt) {
    simt_check *check = calloc(1, sizeof *check);
    simt->check = check;
    if (check == NULL) return assay_fail(ASSAY_ERR_MEMORY, "checked executor: out of memory");
    const size_t size = simt->arena.size;
    check->arena = (uintptr_t)simt->arena.base;
    check->arena_size = size;
    check->state = reserve(size + slack, PROT_READ);
    check->cell = reserve((size + slack) * sizeof *check->cell, PROT_READ);
    if (check->state == NULL || check->cell == NULL || !simt_met_create(check))
        return assay_fail(ASSAY_ERR_MEMORY,
                          "checked executor: no %zu GiB of address space for the shadow of device "
                          "memory (ulimit -v?)",
                          5 * (size >> 30));
    return ASSAY_OK;
}

static void drop_shared(simt_check *check) {
    const size_t words = check->shadowed / 4;
    if (check->shared_state != NULL) munmap(check->shared_state, check->shared_size + slack);
    if (check->split != NULL) munmap(check->split, words * sizeof *check->split);
    if (check->word != NULL) munmap(check->word, words * sizeof *check->word);
    if (check->byte != NULL) munmap(check->byte, 4 * words * sizeof *check->byte);
    check->shared_state = NULL;
    check->split = NULL;
    check->word = check->byte = NULL;
}

void simt_check_destroy(simt_check *check) {
    if (check == NULL) return;
    if (check->state != NULL) munmap(check->state, check->arena_size + slack);
    if (check->cell != NULL) munmap(check->cell, (check->arena_size + slack) * sizeof *check->cell);
    drop_shared(check);
    simt_met_destroy(check);
    simt_count_destroy(check);
    free(check);
}

/* A worker's shared memory may have moved when another chip's has more of it. */
static bool follow_shared(simt_check *check, const simt_shared *shared) {
    if (check->shared == (uintptr_t)shared->map && check->shadowed == shared->capacity) return true;
    const int both = PROT_READ | PROT_WRITE;
    const size_t words = shared->capacity / 4;
    drop_shared(check);
    check->shared = (uintptr_t)shared->map;
    check->shared_size = shared->capacity + 2 * shared->margin;
    check->shadowed = shared->capacity;
    check->shared_state = reserve(check->shared_size + slack, both);
    check->split = reserve(words * sizeof *check->split, both);
    check->word = reserve(words * sizeof *check->word, both);
    check->byte = reserve(4 * words * sizeof *check->byte, both);
    check->now = 0;
    return check->shared_state != NULL && check->split != NULL && check->word != NULL &&
           check->byte != NULL;
}

/* Cells of launches so long ago that their number comes again. */
static void forget_cells(simt_check *check) {
    madvise(check->cell, (check->arena_size + slack) * sizeof *check->cell, MADV_DONTNEED);
}

bool simt_check_begin(simt_check *check, simt_worker *worker) {
    check->worker = worker;
    if (!follow_shared(check, &worker->shared)) return false;
    uint32_t launch = (check->launch >> SIMT_CELL_LAUNCH_SHIFT) + 1;
    if (launch > SIMT_CELL_LAUNCHES) {
        forget_cells(check);
        launch = 1;
    }
    check->launch = launch << SIMT_CELL_LAUNCH_SHIFT;
    if (check->sites > 0) memset(check->site, 0, sizeof check->site);
    check->sites = 0;
    if (check->counting) simt_count_begin(check->count);
    simt_check_here = check;
    return true;
}

void simt_check_end(simt_check *check) {
    (void)check;
    simt_check_here = &nothing;
}

/* Blocks beyond two million share a number with an earlier one: conflicts between those are missed.
 */
void simt_check_block(simt_check *check, uint64_t block) {
    check->me = check->launch | (uint32_t)(block % SIMT_CELL_MANY);
    check->atomic_target = NULL;
    simt_met_begin(check);
    simt_check_barrier(check);
}

/* ---- Device memory -------------------------------------------------------------------------- */

static size_t offset_of(const simt_arena *arena, const char *address) {
    return (size_t)(address - arena->base);
}

static void clear(simt_check *check, const simt_arena *arena, const simt_allocation *a) {
    uint8_t *state = check->state + offset_of(arena, a->pages);
    if (a->span > keep_limit)
        madvise(state, a->span, MADV_DONTNEED);
    else
        memset(state, SIMT_OUTSIDE, a->span);
}

bool simt_check_alloc(simt_check *check, const simt_arena *arena, const simt_allocation *made) {
    const size_t at = offset_of(arena, made->pages);
    if (mprotect(check->state + at, made->span, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(check->cell + at, made->span * sizeof *check->cell, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (made->bytes <= whole_limit)
        memset(check->state + offset_of(arena, made->user), SIMT_SOUND, made->bytes);
    return true;
}

void simt_check_free(simt_check *check, const simt_arena *arena, const simt_allocation *gone) {
    clear(check, arena, gone);
    if (gone->span > keep_limit)
        madvise(check->cell + offset_of(arena, gone->pages), gone->span * sizeof *check->cell,
                MADV_DONTNEED);
}

/* Marks the rows of a declared tensor, and nothing between them. */
void simt_check_rows(simt_check *check, const simt_arena *arena, const simt_allocation *a) {
    const assay_simt_layout *l = &a->layout;
    clear(check, arena, a);
    int64_t rows = 1;
    for (int i = 0; i + 1 < l->rank; i++) rows *= l->shape[i];
    if (l->shape[l->rank - 1] == 0) rows = 0;
    const size_t row_bytes = (size_t)l->shape[l->rank - 1] * l->element_bytes;
    const uint8_t state = l->written ? SIMT_SOUND : SIMT_ADDRESSABLE;
    for (int64_t row = 0; row < rows; row++) {
        int64_t rest = row, start = 0;
        for (int i = l->rank - 2; i >= 0; i--) {
            start += rest % l->shape[i] * l->stride[i];
            rest /= l->shape[i];
        }
        memset(check->state + offset_of(arena, a->user) + (size_t)start * l->element_bytes, state,
               row_bytes);
    }
}

/* ---- Shared memory -------------------------------------------------------------------------- */

void simt_check_carve(simt_check *check, const simt_shared_array *array) {
    memset(check->shared_state + ((uintptr_t)array->address - check->shared), SIMT_ADDRESSABLE,
           array->bytes);
}

/* Before a block: the arrays of the one before are gone. */
void simt_check_uncarve(simt_check *check, const simt_shared *shared) {
    memset(check->shared_state + shared->margin, SIMT_OUTSIDE, shared->used);
}
