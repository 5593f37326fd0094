/* What an address is called in a finding: a tensor's element, a byte of a shared array, or what
 * lies there instead. */
#include <stdio.h>

#include "check.h"

const simt_allocation *simt_arena_holder(const simt_arena *arena, uintptr_t address) {
    size_t distance;
    bool before;
    const simt_allocation *a = simt_arena_nearest(arena, address, &distance, &before);
    return a != NULL && distance == 0 && !before && address - (uintptr_t)a->user < a->bytes ? a
                                                                                            : NULL;
}

/* "x" element [3, 17], of the byte at an offset from the first. */
static void name_element(const simt_allocation *a, size_t byte, char *text, size_t size) {
    if (!a->declared) {
        snprintf(text, size, "\"%s\" byte %zu", a->name, byte);
        return;
    }
    const assay_simt_layout *l = &a->layout;
    const int last = l->rank - 1;
    int64_t rest = (int64_t)(byte / l->element_bytes), index[ASSAY_SIMT_RANK] = {0};
    for (int i = 0; i <= last; i++) {
        index[i] = l->stride[i] > 0 ? rest / l->stride[i] : 0;
        if (i < last && index[i] >= l->shape[i]) index[i] = l->shape[i] - 1;
        rest -= index[i] * l->stride[i];
    }
    const bool gap = index[last] >= l->shape[last];
    size_t used = (size_t)snprintf(text, size,
                                   gap ? "in the gap behind a row of \"%s\" (%lld columns), at ["
                                       : "\"%s\" element [",
                                   a->name, (long long)l->shape[last]);
    for (int i = 0; i <= last && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)index[i]);
    if (used < size) snprintf(text + used, size - used, "]");
}

static void name_shared(const simt_shared *shared, uintptr_t address, char *text, size_t size) {
    for (uint32_t i = 0; i < shared->count; i++) {
        const simt_shared_array *array = &shared->array[i];
        const uintptr_t start = (uintptr_t)array->address, end = start + array->bytes;
        if (address < (uintptr_t)array->before || address >= (uintptr_t)array->after) continue;
        if (address < start)
            snprintf(text, size, "%zu bytes before the start of shared array \"%s\" (%zu bytes)",
                     (size_t)(start - address), array->name, array->bytes);
        else if (address >= end)
            snprintf(text, size, "%zu bytes past the end of shared array \"%s\" (%zu bytes)",
                     (size_t)(address - end), array->name, array->bytes);
        else
            snprintf(text, size, "byte %zu of shared array \"%s\"", (size_t)(address - start),
                     array->name);
        return;
    }
    simt_shared_locate(shared, address, text, size);
}

void simt_name_address(const simt_check *check, uintptr_t address, char *text, size_t size) {
    const simt_arena *arena = &check->worker->simt->arena;
    if (address - check->arena >= check->arena_size) {
        name_shared(&check->worker->shared, address, text, size);
        return;
    }
    const simt_allocation *a = simt_arena_holder(arena, address);
    if (a != NULL)
        name_element(a, address - (uintptr_t)a->user, text, size);
    else
        simt_arena_locate(arena, address, text, size);
}
