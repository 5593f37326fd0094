/* Chip records: all that launch geometry may depend on.
 *
 * A launcher never asks the device: geometry is a pure function of the shape and of one of these
 * records, so the executor can run the launch that a chip would get (`--chip h200`).
 */
#ifndef ASSAY_CHIP_H
#define ASSAY_CHIP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_chip {
    const char *name;           /* "h200" */
    const char *arch;           /* compilation target: "sm_90a", "gfx942" */
    const char *vendor;         /* "nvidia" or "amd" */
    uint32_t warp_size;         /* lanes of a warp (NVIDIA) or wave (AMD) */
    uint32_t multiprocessors;   /* SMs or CUs */
    uint32_t max_block_threads; /* threads of one block */
    uint32_t max_shared_bytes;  /* shared memory one block may use, opt-in included */
    uint64_t max_grid_threads;  /* threads of one launch, all blocks together */
    uint32_t max_grid_x;        /* blocks along x */
} assay_chip;

/* The records, in a fixed order. */
size_t assay_chip_count(void);
const assay_chip *assay_chip_at(size_t index);

/* By name ("h200") or architecture ("sm_90a", first match); NULL when unknown. */
const assay_chip *assay_chip_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
