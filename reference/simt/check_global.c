/* Global memory, off the fast path: a byte that is not part of a tensor or was never written, bytes
 * of one access that differ in their history, blocks in conflict. */
#include <stdio.h>

#include "check_access.h"

/* A large allocation that nobody has declared is marked as it is used. */
static bool mark_late(simt_check *check, size_t at) {
    const simt_arena *arena = &check->worker->simt->arena;
    const simt_allocation *a = simt_arena_holder(arena, check->arena + at);
    if (a == NULL || a->declared) return false;
    check->state[at] = SIMT_SOUND;
    return true;
}

void simt_global_state(simt_check *check, size_t at, size_t bytes, simt_access kind,
                       const void *pc) {
    uint8_t *state = check->state + at;
    for (size_t i = 0; i < bytes; i++) {
        const bool inside = (state[i] & SIMT_ADDRESSABLE) != 0 || mark_late(check, at + i);
        if (inside && (!simt_reads(kind) || (state[i] & SIMT_WRITTEN) != 0)) continue;
        char text[200], part[48] = "";
        if (i > 0) snprintf(part, sizeof part, "its byte %zu is ", i);
        simt_name_address(check, check->arena + at + i, text, sizeof text);
        simt_check_fail(check, pc, bytes, kind, "%s%s%s", part, text,
                        inside ? " was never written" : "");
    }
    if (simt_writes(kind)) memset(state, SIMT_SOUND, bytes);
}

void simt_global_bytes(simt_check *check, size_t at, size_t bytes, simt_access kind,
                       const void *pc) {
    const uint32_t flag = simt_cell_flag(kind);
    for (size_t i = 0; i < bytes; i++) {
        uint32_t *cell = &check->cell[at + i];
        const uint32_t next = simt_cell_next(*cell, check->me, flag);
        if (next == 0) simt_global_conflict(check, at + i, bytes, kind, pc);
        simt_count_distinct(check, *cell, flag, 1);
        *cell = next;
    }
}

/* "read by block (2,0,0)", "written by several other blocks" */
static void history(const simt_check *check, uint32_t cell, char *text, size_t size) {
    const char *how = (cell & SIMT_CELL_WROTE) != 0    ? "written"
                      : (cell & SIMT_CELL_ATOMIC) != 0 ? "used atomically"
                                                       : "read";
    const uint32_t owner = cell & SIMT_CELL_OWNER, *grid = check->worker->geometry.grid;
    if (owner == SIMT_CELL_MANY)
        snprintf(text, size, "%s by several other blocks", how);
    else
        snprintf(text, size, "%s by block (%u,%u,%u)", how, owner % grid[0],
                 owner / grid[0] % grid[1], owner / grid[0] / grid[1]);
}

void simt_global_conflict(const simt_check *check, size_t at, size_t bytes, simt_access kind,
                          const void *pc) {
    char element[200], past[80];
    simt_name_address(check, check->arena + at, element, sizeof element);
    history(check, check->cell[at], past, sizeof past);
    simt_check_fail(check, pc, bytes, kind,
                    "%s is also %s in this launch, and nothing orders the two", element, past);
}
