/* What one request of a warp costs.
 *
 * Global memory moves in sectors of 32 bytes; the least is what the distinct bytes would fill,
 * packed. Shared memory has 32 banks of 4 bytes. Accesses of up to 4 bytes are served 32 lanes at a
 * time, of 8 bytes 16, of 16 bytes 8; a group takes as many wavefronts as its fullest bank holds
 * distinct words, and one at least. (NVIDIA's rules, which AMD's differ from in the grouping only.)
 */
#include "count.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

typedef struct span {
    uintptr_t from, to;
} span;

/* Sorts by start; lanes mostly ascend already. */
static uint32_t gather(const simt_request *r, span *spans) {
    uint32_t count = 0;
    for (uint64_t rest = r->lanes; rest != 0; rest &= rest - 1) {
        const span s = {r->address[simt_lowest(rest)], r->address[simt_lowest(rest)] + r->bytes};
        uint32_t i = count++;
        for (; i > 0 && spans[i - 1].from > s.from; i--) spans[i] = spans[i - 1];
        spans[i] = s;
    }
    return count;
}

static void global(const simt_request *r, uint64_t *sectors, uint64_t *least) {
    span spans[SIMT_MAX_WARP];
    const uint32_t count = gather(r, spans);
    uintptr_t next_sector = 0, next_byte = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t from = spans[i].from / SECTOR, to = (spans[i].to - 1) / SECTOR + 1;
        if (from < next_sector) from = next_sector;
        if (to > from) *sectors += to - from, next_sector = to;
        from = spans[i].from > next_byte ? spans[i].from : next_byte;
        if (spans[i].to > from) bytes += spans[i].to - from, next_byte = spans[i].to;
    }
    *least += (bytes + SECTOR - 1) / SECTOR;
}

/* The wavefronts of lanes [first, first + size) of the request; 0: none takes part. */
static uint32_t wavefronts(const simt_request *r, uint32_t first, uint32_t size) {
    uintptr_t words[BANKS][SIMT_MAX_WARP];
    uint32_t held[BANKS] = {0}, most = 0;
    for (uint32_t lane = first; lane < first + size && lane < SIMT_MAX_WARP; lane++) {
        if ((r->lanes >> lane & 1) == 0) continue;
        const uintptr_t start = r->address[lane] / WORD;
        const uintptr_t end = (r->address[lane] + r->bytes - 1) / WORD;
        for (uintptr_t word = start; word <= end && word < start + BANKS; word++) {
            const uint32_t bank = (uint32_t)(word % BANKS);
            uint32_t i = 0;
            while (i < held[bank] && words[bank][i] != word) i++;
            if (i < held[bank] || i == SIMT_MAX_WARP) continue;
            words[bank][held[bank]++] = word;
            if (held[bank] > most) most = held[bank];
        }
    }
    return most;
}

static void shared(assay_simt_counters *sum, const simt_request *r) {
    uint32_t group = r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8;
    sum->shared_requests++;
    for (uint32_t first = 0; first < SIMT_MAX_WARP; first += group) {
        const uint32_t took = wavefronts(r, first, group);
        sum->shared_wavefronts += took;
        sum->least_wavefronts += took > 0;
    }
}

void simt_count_request(assay_simt_counters *sum, const simt_request *r) {
    if (r->shared) {
        shared(sum, r);
    } else if (r->kind == SIMT_READ) {
        sum->load_requests++;
        global(r, &sum->load_sectors, &sum->least_load_sectors);
    } else if (r->kind == SIMT_WRITE) {
        sum->store_requests++;
        global(r, &sum->store_sectors, &sum->least_store_sectors);
    }
}
