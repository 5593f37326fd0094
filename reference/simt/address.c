/* Which memory an address is in. */
#include "collective.h"

static bool within(const void *address, size_t bytes, const void *base, size_t size) {
    const uintptr_t at = (uintptr_t)address, low = (uintptr_t)base;
    return at >= low && bytes <= size && at - low <= size - bytes;
}

bool simt_in_shared(const simt_worker *worker, const void *address, size_t bytes) {
    const simt_shared *shared = &worker->shared;
    for (uint32_t i = 0; i < shared->count; i++)
        if (within(address, bytes, shared->array[i].address, shared->array[i].bytes)) return true;
    return false;
}

bool simt_in_device(const simt_worker *worker, const void *address, size_t bytes) {
    const simt_arena *arena = &worker->simt->arena;
    for (size_t i = 0; i < arena->count; i++)
        if (within(address, bytes, arena->live[i].user, arena->live[i].bytes)) return true;
    return false;
}
