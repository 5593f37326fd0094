/* Collectives and asynchronous copies: what their files share beyond internal.h.
 *
 * A collective is a warp operation whose last lane to arrive runs a combine step over what every
 * lane of the mask passed: pointers into the lanes' own stacks, which stay put while they wait.
 */
#ifndef ASSAY_REFERENCE_SIMT_COLLECTIVE_H
#define ASSAY_REFERENCE_SIMT_COLLECTIVE_H

#include "internal.h"

/* The op of a collective's group; no part of the public enum. */
#define SIMT_COLLECTIVE ((assay_simt_warp_op)(ASSAY_SIMT_ALL + 1))

/* The operands of a collective, by lane of the warp; NULL outside the mask. */
typedef struct simt_gathered {
    simt_warp *warp;
    const assay_simt_site *site;
    uint64_t mask;
    uint32_t detail; /* the callers' own, the same in every lane: a shape, a count */
    const void *in[SIMT_MAX_WARP];
    void *out[SIMT_MAX_WARP];
} simt_gathered;

/* May end the block by simt_fail. */
typedef void simt_combine(const simt_gathered *gathered);

void simt_collective(simt_combine *combine, uint32_t detail, uint64_t mask, const void *in,
                     void *out, const assay_simt_site *site);

/* warp.c calls it when the last lane of a collective's group arrives. */
void simt_collect(simt_warp *warp, const simt_group *group);

/* address.c: whether [address, address + bytes) lies within one shared array of the block, within
 * one live allocation of device memory. */
bool simt_in_shared(const simt_worker *worker, const void *address, size_t bytes);
bool simt_in_device(const simt_worker *worker, const void *address, size_t bytes);

/* async.c, named.c: a block begins; a lane returns; a worker ends. */
void simt_async_begin(simt_worker *worker);
void simt_async_leave(simt_lane *lane);
void simt_async_destroy(simt_worker *worker);
void simt_named_begin(simt_worker *worker);

#endif
