/* Counting: accesses gathered into the requests of warps. */
#ifndef ASSAY_REFERENCE_SIMT_COUNT_H
#define ASSAY_REFERENCE_SIMT_COUNT_H

#include "check.h"

enum { SIMT_COUNT_SITES = 2048 }; /* accesses of a kernel that are told apart */

/* One instruction of a warp: what its lanes access. */
typedef struct simt_request {
    uint64_t lanes;
    uint32_t bytes; /* of each lane */
    simt_access kind;
    bool shared;
    uintptr_t address[SIMT_MAX_WARP];
} simt_request;

/* The requests of one warp at one site since its lanes last met, in order. */
typedef struct simt_stream {
    simt_request *at;
    uint32_t count, capacity;
} simt_stream;

struct simt_count {
    assay_simt_counters sum;
    const void *site[SIMT_COUNT_SITES]; /* by hash of the PC */
    simt_stream stream[SIMT_MAX_WARPS][SIMT_COUNT_SITES];
    /* How often a lane has been at a site since its warp met; `round` tells old counts. */
    uint32_t round[SIMT_MAX_WARPS];
    struct {
        uint32_t round, times;
    } lane[SIMT_MAX_LANES][SIMT_COUNT_SITES];
    uint16_t used[SIMT_MAX_WARPS][SIMT_COUNT_SITES], used_count[SIMT_MAX_WARPS];
};

/* count_request.c: adds a request to the sums. */
void simt_count_request(assay_simt_counters *sum, const simt_request *request);

#endif
