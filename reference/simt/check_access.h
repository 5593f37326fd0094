/* The fast path of a checked access; inlined into every hook, where `bytes` and `kind` are known.
 *
 * A cell's rule: a byte that one block has only read may be read by others, one that it has only
 * used atomically may be used atomically by others; every other mixture of blocks is a conflict.
 */
#ifndef ASSAY_REFERENCE_SIMT_CHECK_ACCESS_H
#define ASSAY_REFERENCE_SIMT_CHECK_ACCESS_H

#include "check.h"

#define SIMT_INLINE static inline __attribute__((always_inline))

SIMT_INLINE bool simt_is_atomic(simt_access kind) { return kind >= SIMT_ATOMIC_READ; }
SIMT_INLINE bool simt_reads(simt_access kind) {
    return kind != SIMT_WRITE && kind != SIMT_ATOMIC_WRITE;
}
SIMT_INLINE bool simt_writes(simt_access kind) {
    return kind != SIMT_READ && kind != SIMT_ATOMIC_READ;
}

SIMT_INLINE uint32_t simt_cell_flag(simt_access kind) {
    if (simt_is_atomic(kind)) return SIMT_CELL_ATOMIC;
    return kind == SIMT_READ ? SIMT_CELL_READ : SIMT_CELL_WROTE;
}

SIMT_INLINE bool simt_cell_stale(uint32_t cell, uint32_t launch) {
    return (cell ^ launch) >> SIMT_CELL_LAUNCH_SHIFT != 0;
}

/* What a cell becomes; 0: a conflict. */
SIMT_INLINE uint32_t simt_cell_next(uint32_t cell, uint32_t me, uint32_t flag) {
    if (simt_cell_stale(cell, me)) return me | flag;
    if (((cell ^ me) & SIMT_CELL_OWNER) == 0) return cell | flag;
    if (flag == SIMT_CELL_WROTE || (cell & SIMT_CELL_TOUCHED) != flag) return 0;
    return cell | SIMT_CELL_MANY;
}

/* Counts bytes read or written for the first time in this launch. */
SIMT_INLINE void simt_count_distinct(simt_check *check, uint32_t cell, uint32_t flag,
                                     size_t bytes) {
    if (!simt_cell_stale(cell, check->me) && (cell & flag) != 0) return;
    if (flag == SIMT_CELL_READ) check->loaded += bytes;
    if (flag == SIMT_CELL_WROTE) check->stored += bytes;
}

/* Eight states, or two cells, at a time. */
SIMT_INLINE uint64_t simt_word(const void *at, size_t bytes) {
    uint64_t word = 0;
    memcpy(&word, at, bytes);
    return word;
}

SIMT_INLINE bool simt_all_sound(const uint8_t *state, size_t bytes) {
    const uint64_t sound = UINT64_C(0x0101010101010101) * SIMT_SOUND;
    uint64_t wrong = 0;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) wrong |= simt_word(state + i, 8) ^ sound;
    if (i < bytes) wrong |= simt_word(state + i, bytes - i) ^ sound >> 8 * (8 - (bytes - i));
    return wrong == 0;
}

SIMT_INLINE bool simt_all_equal(const uint32_t *cell, size_t bytes) {
    const uint64_t first = cell[0] * UINT64_C(0x100000001);
    uint64_t differ = 0;
    size_t i = 0;
    for (; i + 2 <= bytes; i += 2) differ |= simt_word(cell + i, 8) ^ first;
    if (i < bytes) differ |= cell[i] ^ cell[0];
    return differ == 0;
}

SIMT_INLINE void simt_global_access(simt_check *check, size_t at, size_t bytes, simt_access kind,
                                    const void *pc) {
    if (!simt_all_sound(check->state + at, bytes)) simt_global_state(check, at, bytes, kind, pc);
    uint32_t *cell = check->cell + at;
    const uint32_t first = cell[0], flag = simt_cell_flag(kind);
    if (!simt_all_equal(cell, bytes)) {
        simt_global_bytes(check, at, bytes, kind, pc);
        return;
    }
    const uint32_t next = simt_cell_next(first, check->me, flag);
    if (next == first) return;
    if (next == 0) simt_global_conflict(check, at, bytes, kind, pc);
    simt_count_distinct(check, first, flag, bytes);
    for (size_t i = 0; i < bytes; i++) cell[i] = next;
}

/* Is the address of memory that is looked at? Else it is the host's, or on the lane's own stack. */
SIMT_INLINE bool simt_watched(uintptr_t address) {
    const simt_check *check = simt_check_here;
    return address - check->arena < check->arena_size ||
           address - check->shared < check->shared_size;
}

/* `aligned`: a chip demands that the address is a multiple of the width. */
SIMT_INLINE void simt_check_access(uintptr_t address, size_t bytes, simt_access kind, bool aligned,
                                   const void *pc) {
    if (!simt_watched(address)) return;
    simt_check *check = simt_check_here;
    const size_t at = address - check->arena, in_shared = address - check->shared;
    const bool global = at < check->arena_size;
    if (aligned && address % bytes != 0) simt_check_misaligned(check, address, bytes, kind, pc);
    if (check->counting) simt_count_access(check, address, bytes, kind, !global, pc);
    if (global)
        simt_global_access(check, at, bytes, kind, pc);
    else
        simt_shared_access(check, in_shared, bytes, kind, pc);
}

#endif
