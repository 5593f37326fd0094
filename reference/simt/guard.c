/* Guard bytes round allocations, and which allocation an address is nearest to. */
#include <stdio.h>

#include "internal.h"

static char *end_of(const simt_allocation *allocation) {
    return allocation->user + allocation->bytes;
}

static char *limit_of(const simt_allocation *allocation) {
    return allocation->pages + allocation->span;
}

void simt_guard_fill(const simt_allocation *allocation) {
    memset(allocation->pages, SIMT_GUARD_BYTE, (size_t)(allocation->user - allocation->pages));
    memset(end_of(allocation), SIMT_GUARD_BYTE,
           (size_t)(limit_of(allocation) - end_of(allocation)));
}

/* Comparing a range with itself, one byte on, lets memcmp do the work. */
static bool intact(const char *from, const char *to) {
    size_t size = (size_t)(to - from);
    return (unsigned char)from[0] == SIMT_GUARD_BYTE && memcmp(from, from + 1, size - 1) == 0;
}

/* The changed byte nearest to the allocation. */
bool simt_guard_broken(const simt_allocation *allocation, char *text, size_t size) {
    const char *end = end_of(allocation), *user = allocation->user;
    if (!intact(end, limit_of(allocation))) {
        const char *at = end;
        while ((unsigned char)*at == SIMT_GUARD_BYTE) at++;
        snprintf(text, size, "write %zu bytes past the end of \"%s\" (%zu bytes)",
                 (size_t)(at - end), allocation->name, allocation->bytes);
        return true;
    }
    if (!intact(allocation->pages, user)) {
        const char *at = user - 1;
        while ((unsigned char)*at == SIMT_GUARD_BYTE) at--;
        snprintf(text, size, "write %zu bytes before the start of \"%s\" (%zu bytes)",
                 (size_t)(user - at), allocation->name, allocation->bytes);
        return true;
    }
    return false;
}

/* Reports the first damage and repairs all of it, so that the next launch is judged by its own. */
assay_status simt_guard_check(const simt_arena *arena, const char *kernel) {
    char text[200];
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < arena->count; i++) {
        const simt_allocation *allocation = &arena->live[i];
        char *spot = status == ASSAY_OK ? text : (char[200]){0};
        if (!simt_guard_broken(allocation, spot, sizeof text)) continue;
        simt_guard_fill(allocation);
        status = ASSAY_ERR_KERNEL;
    }
    if (status == ASSAY_OK) return ASSAY_OK;
    return assay_fail(status, "%.120s%sguard bytes changed: %s", kernel, kernel[0] ? ": " : "",
                      text);
}

assay_status assay_simt_check_guards(assay_simt *simt) {
    return simt_guard_check(&simt->arena, "");
}

/* The live allocation nearest to an address outside all of them; NULL when there is none. */
const simt_allocation *simt_arena_nearest(const simt_arena *arena, uintptr_t address,
                                          size_t *distance, bool *before) {
    const simt_allocation *nearest = NULL;
    for (size_t i = 0; i < arena->count; i++) {
        const simt_allocation *allocation = &arena->live[i];
        uintptr_t start = (uintptr_t)allocation->user, end = start + allocation->bytes;
        size_t away = address < start ? start - address : address >= end ? address - end : 0;
        if (nearest != NULL && away >= *distance) continue;
        nearest = allocation;
        *distance = away;
        *before = address < start;
    }
    return nearest;
}

/* The allocation, freed lately, that held an address; NULL when there is none. */
const simt_allocation *simt_arena_freed(const simt_arena *arena, uintptr_t address) {
    for (unsigned i = 1; i <= SIMT_FREED && i <= arena->freed_next; i++) {
        const simt_allocation *gone = &arena->freed[(arena->freed_next - i) % SIMT_FREED];
        uintptr_t start = (uintptr_t)gone->user;
        if (address >= start && address - start < gone->bytes) return gone;
    }
    return NULL;
}

/* An address outside the arena's live allocations; false when it is outside the arena. */
bool simt_arena_locate(const simt_arena *arena, uintptr_t address, char *text, size_t size) {
    uintptr_t base = (uintptr_t)arena->base;
    if (address < base || address - base >= arena->size) return false;
    size_t distance;
    bool before;
    const simt_allocation *gone = simt_arena_freed(arena, address);
    const simt_allocation *nearest = simt_arena_nearest(arena, address, &distance, &before);
    if (gone != NULL)
        snprintf(text, size, "%zu bytes into \"%s\" (%zu bytes), which has been freed",
                 (size_t)(address - (uintptr_t)gone->user), gone->name, gone->bytes);
    else if (nearest == NULL)
        snprintf(text, size, "in device memory, of which none is allocated");
    else
        snprintf(text, size, "%zu bytes %s of \"%s\" (%zu bytes)", distance,
                 before ? "before the start" : "past the end", nearest->name, nearest->bytes);
    return true;
}
