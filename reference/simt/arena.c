/* Device memory: one reserved range of address space, of which live allocations are mapped.
 *
 *   ... unmapped gap | guard bytes | the allocation | 64 to 319 guard bytes | unmapped gap ...
 *
 * The end lies as close to the unmapped gap as the wanted alignment lets it, so an overrun soon
 * faults. Pages are populated when touched: an allocation of many GiB costs what is used of it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static const size_t default_bytes = (size_t)256 << 30, least_bytes = (size_t)64 << 20;
static const size_t widest_gap = (size_t)1 << 20;
static const size_t poison_limit = (size_t)64 << 20; /* larger ones stay untouched */
static const size_t keep_limit = (size_t)8 << 20;    /* freed spans up to this keep their pages */

assay_status simt_arena_create(simt_arena *arena, size_t bytes) {
    arena->page = (size_t)sysconf(_SC_PAGESIZE);
    size_t wanted = bytes != 0 ? bytes : default_bytes;
    if (wanted > SIZE_MAX / 2) wanted = SIZE_MAX / 2;
    wanted = (wanted + arena->page - 1) / arena->page * arena->page;
    for (size_t size = wanted;; size = size / 2 / arena->page * arena->page) {
        if (size < least_bytes && size < wanted)
            return assay_fail(
                ASSAY_ERR_MEMORY,
                "executor: no %zu MiB of address space for device memory (ulimit -v?)",
                least_bytes >> 20);
        void *base =
            mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) continue;
        arena->base = base;
        arena->size = size;
        break;
    }
    size_t gap = arena->size / 4096 / arena->page * arena->page;
    arena->gap = gap > widest_gap ? widest_gap : gap < arena->page ? arena->page : gap;
    return ASSAY_OK;
}

void simt_arena_destroy(simt_arena *arena) {
    if (arena->base != NULL) munmap(arena->base, arena->size);
    free(arena->live);
    memset(arena, 0, sizeof *arena);
}

/* First fit: the index before which a span of `span` bytes goes, and its address. */
static bool place(const simt_arena *arena, size_t span, size_t *index, char **pages) {
    char *at = arena->base + arena->gap;
    size_t i = 0;
    for (; i < arena->count; i++) {
        const simt_allocation *next = &arena->live[i];
        if ((size_t)(next->pages - at) >= span + arena->gap) break;
        at = next->pages + next->span + arena->gap;
    }
    *index = i;
    *pages = at;
    size_t used = (size_t)(at - arena->base);
    return used <= arena->size && arena->size - used >= span + arena->gap;
}

static bool grow(simt_arena *arena) {
    if (arena->count < arena->capacity) return true;
    size_t capacity = arena->capacity != 0 ? 2 * arena->capacity : 64;
    void *live = realloc(arena->live, capacity * sizeof *arena->live);
    if (live == NULL) return false;
    arena->live = live;
    arena->capacity = capacity;
    return true;
}

assay_status assay_simt_alloc(assay_simt *simt, const char *name, size_t bytes, size_t offset,
                              void **out) {
    simt_arena *arena = &simt->arena;
    if (name == NULL) name = "unnamed";
    *out = NULL;
    simt_allocation made = {.bytes = bytes};
    snprintf(made.name, sizeof made.name, "%s", name);
    size_t index, slack = 2 * SIMT_GUARD + 255 + arena->page;
    if (bytes < arena->size && slack < arena->size)
        made.span = (bytes + slack) / arena->page * arena->page;
    if (made.span == 0 || !place(arena, made.span, &index, &made.pages) || !grow(arena))
        return assay_fail(ASSAY_ERR_MEMORY,
                          "device memory: no room for \"%s\" of %zu bytes in %zu MiB with %zu live "
                          "allocations",
                          name, bytes, arena->size >> 20, arena->count);
    /* Pages of earlier allocations may still be populated; a large one is to read as zeros. */
    if (bytes > poison_limit) madvise(made.pages, made.span, MADV_DONTNEED);
    if (mprotect(made.pages, made.span, PROT_READ | PROT_WRITE) != 0)
        return assay_fail(ASSAY_ERR_MEMORY, "device memory: the system refuses \"%s\" of %zu bytes",
                          name, bytes);

    uintptr_t end = (uintptr_t)made.pages + made.span - SIMT_GUARD;
    made.user = made.pages + made.span - SIMT_GUARD - bytes;
    made.user -= (end - bytes - offset) % 256;
    if (bytes <= poison_limit) memset(made.user, SIMT_POISON_BYTE, bytes);
    simt_guard_fill(&made);
    if (simt->check != NULL && !simt_check_alloc(simt->check, arena, &made)) {
        mprotect(made.pages, made.span, PROT_NONE);
        return assay_fail(ASSAY_ERR_MEMORY, "device memory: no shadow for \"%s\" of %zu bytes",
                          name, bytes);
    }
    memmove(&arena->live[index + 1], &arena->live[index],
            (arena->count - index) * sizeof *arena->live);
    arena->live[index] = made;
    arena->count++;
    *out = made.user;
    return ASSAY_OK;
}

/* The live allocation that starts at `pointer`; NULL: none does. */
static simt_allocation *starting_at(simt_arena *arena, const void *pointer) {
    size_t low = 0, high = arena->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arena->live[middle].user < (const char *)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arena->count && arena->live[low].user == pointer ? &arena->live[low] : NULL;
}

assay_status assay_simt_free(assay_simt *simt, void *pointer) {
    simt_arena *arena = &simt->arena;
    if (pointer == NULL) return ASSAY_OK;
    simt_allocation *found = starting_at(arena, pointer);
    if (found == NULL)
        return assay_fail(ASSAY_ERR_ARGUMENT, "device memory: %p is not a live allocation",
                          pointer);
    simt_allocation gone = *found;
    if (gone.span > keep_limit) madvise(gone.pages, gone.span, MADV_DONTNEED);
    mprotect(gone.pages, gone.span, PROT_NONE);
    if (simt->check != NULL) simt_check_free(simt->check, arena, &gone);
    arena->freed[arena->freed_next++ % SIMT_FREED] = gone;
    arena->count--;
    memmove(found, found + 1, (size_t)(arena->live + arena->count - found) * sizeof *found);
    return ASSAY_OK;
}

/* Bytes from the first to one past the last element; false: negative, or too many to count. */
static bool measure(const assay_simt_layout *l, uint64_t *bytes) {
    int64_t last = 0, step;
    if (l->rank < 1 || l->rank > ASSAY_SIMT_RANK || l->element_bytes == 0) return false;
    *bytes = 0;
    for (int i = 0; i < l->rank; i++)
        if (l->shape[i] == 0) return true;
    for (int i = 0; i < l->rank; i++)
        if (l->shape[i] < 0 || l->stride[i] < 0 ||
            __builtin_mul_overflow(l->shape[i] - 1, l->stride[i], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    return l->stride[l->rank - 1] == 1 &&
           !__builtin_mul_overflow((uint64_t)last + 1, l->element_bytes, bytes);
}

assay_status assay_simt_declare(assay_simt *simt, void *pointer, const assay_simt_layout *layout) {
    simt_allocation *found = starting_at(&simt->arena, pointer);
    uint64_t bytes;
    if (found == NULL)
        return assay_fail(ASSAY_ERR_ARGUMENT, "device memory: %p is not a live allocation",
                          pointer);
    if (!measure(layout, &bytes) || bytes > found->bytes)
        return assay_fail(
            ASSAY_ERR_ARGUMENT,
            "device memory: the layout declared for \"%s\" does not fit its %zu bytes", found->name,
            found->bytes);
    found->declared = true;
    found->layout = *layout;
    if (simt->check != NULL) simt_check_rows(simt->check, &simt->arena, found);
    return ASSAY_OK;
}
