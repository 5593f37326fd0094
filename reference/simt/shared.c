/* Shared memory of a block: one arena per worker, carved as the lanes ask for arrays.
 *
 * Each array has a red zone on either side, checked when the block ends; the arena has unmapped
 * margins, so that what jumps over a red zone faults.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"

enum { ZONE = 64, MAX_ALIGNMENT = 1024, MARGIN = 1 << 20 };

/* Room for every array at its worst alignment. */
static size_t capacity_for(const assay_chip *chip) {
    size_t bytes = (size_t)chip->max_shared_bytes + SIMT_MAX_SHARED * (2 * ZONE + MAX_ALIGNMENT);
    return (bytes + 65535) / 65536 * 65536;
}

assay_status simt_shared_create(simt_shared *shared, const assay_chip *chip) {
    size_t capacity = capacity_for(chip);
    if (shared->map != NULL && shared->capacity >= capacity) return ASSAY_OK;
    simt_shared_destroy(shared);
    void *map = mmap(NULL, capacity + 2 * MARGIN, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return ASSAY_ERR_MEMORY;
    shared->map = map;
    shared->capacity = capacity;
    shared->margin = MARGIN;
    if (mprotect(shared->map + MARGIN, capacity, PROT_READ | PROT_WRITE) != 0) {
        simt_shared_destroy(shared);
        return ASSAY_ERR_MEMORY;
    }
    return ASSAY_OK;
}

void simt_shared_destroy(simt_shared *shared) {
    if (shared->map != NULL) munmap(shared->map, shared->capacity + 2 * shared->margin);
    memset(shared, 0, sizeof *shared);
}

static void *carve(simt_worker *worker, const char *name, size_t bytes, size_t alignment,
                   const assay_simt_site *site) {
    simt_shared *shared = &worker->shared;
    unsigned char *before = shared->map + shared->margin + shared->used;
    uintptr_t mask = (uintptr_t)alignment - 1;
    unsigned char *address = before + ZONE;
    address += (~(uintptr_t)address + 1) & mask;
    unsigned char *after = address + bytes + ZONE;
    memset(before, SIMT_GUARD_BYTE, (size_t)(address - before));
    memset(address, SIMT_POISON_BYTE, bytes);
    memset(address + bytes, SIMT_GUARD_BYTE, ZONE);
    shared->array[shared->count++] = (simt_shared_array){
        .name = name,
        .file = site != NULL ? site->file : "",
        .line = site != NULL ? site->line : 0,
        .bytes = bytes,
        .alignment = alignment,
        .address = address,
        .before = before,
        .after = after,
    };
    shared->used += (size_t)(after - before);
    if (worker->check != NULL) simt_check_carve(worker->check, &shared->array[shared->count - 1]);
    return address;
}

void simt_shared_begin(simt_shared *shared) {
    shared->used = shared->declared = 0;
    shared->count = 0;
}

/* Arrays are told apart by size and alignment too: a template has one line and many types. */
void *assay_simt_shared(const char *name, size_t bytes, size_t alignment,
                        const assay_simt_site *site) {
    const simt_lane *lane = simt_self();
    simt_worker *worker = lane->worker;
    simt_shared *shared = &worker->shared;
    for (uint32_t i = 0; i < shared->count; i++) {
        const simt_shared_array *array = &shared->array[i];
        if (array->line == site->line && array->bytes == bytes && array->alignment == alignment &&
            simt_same_text(array->name, name) && simt_same_text(array->file, site->file))
            return array->address;
    }
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > MAX_ALIGNMENT)
        simt_fail(lane, site, "shared array \"%s\": alignment %zu is not a power of two up to %d",
                  name, alignment, MAX_ALIGNMENT);
    if (shared->count >= SIMT_MAX_SHARED - 1) /* one is kept for the dynamic part */
        simt_fail(lane, site, "shared array \"%s\": more than %d shared arrays in one kernel", name,
                  SIMT_MAX_SHARED - 1);
    const assay_chip *chip = worker->job->chip;
    size_t dynamic_bytes = worker->job->launch->geometry.shared_bytes;
    size_t start = (shared->declared + alignment - 1) & ~(alignment - 1);
    if (bytes > chip->max_shared_bytes || start + bytes + dynamic_bytes > chip->max_shared_bytes)
        simt_fail(
            lane, site,
            "shared array \"%s\" of %zu bytes: with %zu static and %zu dynamic bytes the block "
            "exceeds the %u that %s allows",
            name, bytes, shared->declared, dynamic_bytes, chip->max_shared_bytes, chip->name);
    shared->declared = start + bytes;
    return carve(worker, name, bytes, alignment, site);
}

void *assay_simt_shared_dynamic(const assay_simt_site *site) {
    (void)site;
    simt_worker *worker = simt_self()->worker;
    simt_shared *shared = &worker->shared;
    for (uint32_t i = 0; i < shared->count; i++)
        if (shared->array[i].line == 0) return shared->array[i].address;
    size_t bytes = worker->job->launch->geometry.shared_bytes;
    return carve(worker, "dynamic shared memory", bytes, 16, NULL);
}

static const unsigned char *changed(const unsigned char *zone, const unsigned char *end) {
    while (zone < end && *zone == SIMT_GUARD_BYTE) zone++;
    return zone < end ? zone : NULL;
}

/* At the end of a block. */
void simt_shared_check(simt_worker *worker) {
    const simt_shared *shared = &worker->shared;
    for (uint32_t i = 0; i < shared->count; i++) {
        const simt_shared_array *array = &shared->array[i];
        const unsigned char *end = array->address + array->bytes;
        const unsigned char *over = changed(end, array->after);
        const unsigned char *under = changed(array->before, array->address);
        if (over != NULL) {
            simt_block_fail(worker,
                            "write %zu bytes past the end of shared array \"%s\" (%zu bytes)",
                            (size_t)(over - end), array->name, array->bytes);
            return;
        }
        if (under != NULL) {
            simt_block_fail(worker,
                            "write %zu bytes before the start of shared array \"%s\" (%zu bytes)",
                            (size_t)(array->address - under), array->name, array->bytes);
            return;
        }
    }
}

/* For a faulting address: true when it is in the arena or its margins. */
bool simt_shared_locate(const simt_shared *shared, uintptr_t address, char *text, size_t size) {
    uintptr_t map = (uintptr_t)shared->map;
    if (shared->map == NULL || address < map ||
        address - map >= shared->capacity + 2 * shared->margin)
        return false;
    if (shared->count == 0) {
        snprintf(text, size, "in shared memory, of which the kernel has none");
    } else if (address < map + shared->margin) {
        const simt_shared_array *array = &shared->array[0];
        snprintf(text, size, "%zu bytes before the start of shared array \"%s\" (%zu bytes)",
                 (size_t)((uintptr_t)array->address - address), array->name, array->bytes);
    } else {
        const simt_shared_array *array = &shared->array[shared->count - 1];
        snprintf(text, size, "%zu bytes past the end of shared array \"%s\" (%zu bytes)",
                 (size_t)(address - (uintptr_t)array->address - array->bytes), array->name,
                 array->bytes);
    }
    return true;
}
