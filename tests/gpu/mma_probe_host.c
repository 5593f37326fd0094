/* The models' answers to the probe's operands. */
#include "mma_probe_host.h"

#include <stdlib.h>
#include <string.h>

const mma_probe_info mma_probe_families[MMA_PROBE_FAMILY_COUNT] = {
#define FAMILY(ID, KIND, M, K, A, B, D, TAIL)                                                      \
    [MMA_PROBE_##                                                                                  \
        ID] = {TAIL, MMA_PROBE_KIND_##KIND, M, K, ASSAY_MMA_##A, ASSAY_MMA_##B, ASSAY_MMA_##D},
    MMA_PROBE_FAMILIES(FAMILY)
#undef FAMILY
};

const char *const mma_probe_modes[MMA_PROBE_MODE_COUNT] = {
    "near", "wide", "cancelling", "subnormal", "underflow", "raw", "special", "chained"};

const assay_mma *mma_probe_model(int family) {
    const mma_probe_info *info = &mma_probe_families[family];
    char name[64];
    snprintf(name, sizeof name, "%s.%s", info->kind == MMA_PROBE_KIND_GROUP ? "wgmma" : "mma",
             info->name);
    return assay_mma_find("sm_90a", name);
}

static size_t result_words(int family) {
    return mma_probe_families[family].d == ASSAY_MMA_F64 ? 2 : 1;
}

size_t mma_probe_tile_words(int family) {
    return (size_t)mma_probe_families[family].m * MMA_PROBE_N * result_words(family);
}

static void store(assay_mma_type type, void *base, int index, uint64_t code) {
    switch (assay_mma_type_size(type)) {
    case 1: ((uint8_t *)base)[index] = (uint8_t)code; break;
    case 2: ((uint16_t *)base)[index] = (uint16_t)code; break;
    case 4: ((uint32_t *)base)[index] = (uint32_t)code; break;
    default: ((uint64_t *)base)[index] = code; break;
    }
}

static void fill(int family, int mode, uint64_t tile, int matrix, int count, assay_mma_type type,
                 void *out) {
    for (int i = 0; i < count; i++)
        store(type, out, i, mma_probe_element(family, mode, tile, matrix, i, type));
}

assay_status mma_probe_expect(const assay_mma *mma, int family, int mode, uint64_t first,
                              uint32_t tiles, assay_mma_path path, uint32_t *out) {
    enum { LONGEST = 32 * MMA_PROBE_CHAIN };
    const mma_probe_info *f = &mma_probe_families[family];
    const int k = f->k * mma_probe_steps(mode), results = f->m * MMA_PROBE_N;
    uint64_t a[64 * LONGEST / 8], b[MMA_PROBE_N * LONGEST], d[64 * MMA_PROBE_N];
    const assay_mma_tile_args args = {.m = f->m,
                                      .n = MMA_PROBE_N,
                                      .k = k,
                                      .a = {a, k, 1},
                                      .b = {b, 1, k},
                                      .c = d,
                                      .d = d,
                                      .c_stride = MMA_PROBE_N,
                                      .d_stride = MMA_PROBE_N,
                                      .path = path};
    for (uint32_t i = 0; i < tiles; i++) {
        fill(family, mode, first + i, 0, f->m * k, f->a, a);
        fill(family, mode, first + i, 1, MMA_PROBE_N * k, f->b, b);
        fill(family, mode, first + i, 2, results, f->d, d);
        const assay_status status = assay_mma_tile(mma, &args);
        if (status) return status;
        uint32_t *o = out + i * mma_probe_tile_words(family);
        for (int j = 0; f->d == ASSAY_MMA_F16 && j < results; j++) o[j] = ((uint16_t *)d)[j];
        if (f->d != ASSAY_MMA_F16) memcpy(o, d, 4 * mma_probe_tile_words(family));
    }
    return ASSAY_OK;
}

static bool f64_nan(uint64_t bits) { return bits << 1 > UINT64_C(0xffe0000000000000); }

uint64_t mma_probe_differ(int family, const uint32_t *chip, const uint32_t *model, size_t results,
                          size_t *where) {
    const size_t words = result_words(family);
    uint64_t differing = 0;
    for (size_t i = 0; i < results; i++) {
        if (memcmp(chip + i * words, model + i * words, 4 * words) == 0) continue;
        if (words == 2) {
            uint64_t x, y;
            memcpy(&x, chip + 2 * i, sizeof x);
            memcpy(&y, model + 2 * i, sizeof y);
            if (f64_nan(x) && f64_nan(y)) continue;
        }
        if (differing++ == 0) *where = i;
    }
    return differing;
}

uint64_t mma_probe_digest(int family, int mode, uint32_t tiles) {
    const mma_probe_info *f = &mma_probe_families[family];
    const int k = f->k * mma_probe_steps(mode);
    const int count[3] = {f->m * k, MMA_PROBE_N * k, f->m * MMA_PROBE_N};
    const assay_mma_type type[3] = {f->a, f->b, f->d};
    uint64_t hash = 0;
    for (uint32_t tile = 0; tile < tiles; tile++)
        for (int matrix = 0; matrix < 3; matrix++)
            for (int i = 0; i < count[matrix]; i++)
                hash =
                    mma_probe_mix(hash + UINT64_C(0x9e3779b97f4a7c15) +
                                  mma_probe_element(family, mode, tile, matrix, i, type[matrix]));
    return hash;
}
