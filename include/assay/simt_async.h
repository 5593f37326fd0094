/* The executor's asynchronous copies and partial barriers: the lane half of what
 * kernels/device/async_simt.h offers.
 *
 * A copy completes as late as is allowed, at the wait that covers it: until then its destination
 * holds 0xff, whatever was there before. A copy still pending when its lane returns is an error.
 */
#ifndef ASSAY_SIMT_ASYNC_H
#define ASSAY_SIMT_ASYNC_H

#include "assay/simt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cp.async of 4, 8 or 16 bytes from global to shared memory, both so aligned: the first `valid` of
 * them come from `source`, the others are zero. Of `source` only those are looked at. */
void assay_simt_cp_async(void *destination, const void *source, uint32_t bytes, uint32_t valid,
                         const assay_simt_site *site);

/* Ends the calling lane's group of copies; a group may be empty. */
void assay_simt_cp_async_commit(void);

/* Completes the calling lane's groups but the latest `pending`. */
void assay_simt_cp_async_wait(uint32_t pending);

/* Completes all copies of the calling lane, those of no group yet included. */
void assay_simt_cp_async_wait_all(void);

/* bar.sync and bar.arrive: barrier `id` (1 to 15; 0 is the block's own) of `lanes` lanes, a
 * multiple of the warp size. Those that arrive do not wait. */
void assay_simt_named_barrier(uint32_t id, uint32_t lanes, const assay_simt_site *site);
void assay_simt_named_arrive(uint32_t id, uint32_t lanes, const assay_simt_site *site);

#ifdef __cplusplus
}
#endif
#endif
