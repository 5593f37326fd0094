#include "counters.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} counters[] = {
#define COUNTER(name)                                                                              \
    { #name, offsetof(assay_simt_counters, name) }
    COUNTER(global_loads),        COUNTER(global_stores),   COUNTER(global_atomics),
    COUNTER(bytes_loaded),        COUNTER(bytes_stored),    COUNTER(unique_loaded),
    COUNTER(unique_stored),       COUNTER(load_requests),   COUNTER(load_sectors),
    COUNTER(least_load_sectors),  COUNTER(store_requests),  COUNTER(store_sectors),
    COUNTER(least_store_sectors), COUNTER(shared_loads),    COUNTER(shared_stores),
    COUNTER(shared_atomics),      COUNTER(shared_requests), COUNTER(shared_wavefronts),
    COUNTER(least_wavefronts),    COUNTER(barriers),        COUNTER(warp_ops),
    COUNTER(lane_operations),
#undef COUNTER
};
#define COUNTERS (sizeof counters / sizeof counters[0])
_Static_assert(COUNTERS * sizeof(uint64_t) == sizeof(assay_simt_counters), "one name each");

size_t assay_counter_count(void) { return COUNTERS; }

const char *assay_counter_name(size_t index) { return counters[index].name; }

uint64_t assay_counter_value(const assay_simt_counters *values, size_t index) {
    uint64_t value;
    memcpy(&value, (const char *)values + counters[index].offset, sizeof value);
    return value;
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0.0; }

static void global(FILE *out, const char *what, uint64_t requests, uint64_t sectors, uint64_t least,
                   uint64_t bytes, uint64_t distinct) {
    fprintf(out,
            "  %-7s %10" PRIu64 " requests %11" PRIu64 " sectors %6.2f a request %5.0f %% used"
            " %12" PRIu64 " bytes %6.2f x distinct\n",
            what, requests, sectors, ratio(sectors, requests), 100.0 * ratio(least, sectors), bytes,
            ratio(bytes, distinct));
}

void assay_counters_print(FILE *out, const assay_result *result) {
    char line[ASSAY_CASE_LINE];
    if (!result->counted) return;
    const assay_simt_counters *c = &result->counters;
    assay_case_format(&result->c, line);
    fprintf(out, "%s\n", line);
    global(out, "loads", c->load_requests, c->load_sectors, c->least_load_sectors, c->bytes_loaded,
           c->unique_loaded);
    global(out, "stores", c->store_requests, c->store_sectors, c->least_store_sectors,
           c->bytes_stored, c->unique_stored);
    fprintf(out,
            "  %-7s %10" PRIu64 " requests %11" PRIu64 " wavefronts %3" PRIu64 " bank conflicts\n",
            "shared", c->shared_requests, c->shared_wavefronts,
            c->shared_wavefronts - c->least_wavefronts);
    fprintf(out, "  %" PRIu64 " barriers, %" PRIu64 " warp operations, %" PRIu64 " atomics\n",
            c->barriers, c->warp_ops, c->global_atomics + c->shared_atomics);
}
