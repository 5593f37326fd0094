/* The host's half of the probe: what the models say, and recordings of what a chip said. */
#ifndef ASSAY_GPU_MMA_PROBE_HOST_H
#define ASSAY_GPU_MMA_PROBE_HOST_H

#include <stdio.h>

#include "mma_probe.h"

typedef struct mma_probe_info {
    const char *name; /* in the table of models, without "mma." or "wgmma." */
    enum mma_probe_kind kind;
    int m, k;
    assay_mma_type a, b, d;
} mma_probe_info;

extern const mma_probe_info mma_probe_families[MMA_PROBE_FAMILY_COUNT];
extern const char *const mma_probe_modes[MMA_PROBE_MODE_COUNT];

/* The model under sm_90; NULL would be a mistake in the list of families. */
const assay_mma *mma_probe_model(int family);

/* 32-bit words a tile's results take. */
size_t mma_probe_tile_words(int family);

/* What the model makes of tiles first .. first + tiles - 1, as mma_probe_device lays it out. */
assay_status mma_probe_expect(const assay_mma *mma, int family, int mode, uint64_t first,
                              uint32_t tiles, assay_mma_path path, uint32_t *out);

/* Differing results between a chip's and the model's words; f64 NaN compare by class. The index of
 * the first goes to *where. */
uint64_t mma_probe_differ(int family, const uint32_t *chip, const uint32_t *model, size_t results,
                          size_t *where);

/* A hash of the operands of tiles 0 .. tiles - 1: changes when the generator does. */
uint64_t mma_probe_digest(int family, int mode, uint32_t tiles);

/* Tiles of a recording: results of 256 dot products and more a family and mode. */
uint32_t mma_probe_recorded_tiles(int family);

/* One line of the text header, and the results in the fewest bytes. */
int mma_probe_record(FILE *text, FILE *binary, int family, int mode, const uint32_t *words);

typedef struct mma_probe_replay {
    int blocks; /* lines of the header */
    uint64_t compared, differing;
    uint64_t stale;  /* blocks recorded with another generator */
    char first[160]; /* a differing result, or the reason of an error */
} mma_probe_replay;

/* Replays FOLDER/mma_vectors.txt and .bin; false when they are missing or malformed. */
bool mma_probe_replay_folder(const char *folder, mma_probe_replay *out);

#endif
