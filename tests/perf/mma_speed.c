/* mma_speed: multiply-adds a second of the matrix-unit models on one thread, for each path that
 * this processor has; prints JSON. A measurement, not a test: it judges nothing.
 *
 * One tile is one instruction, as the executor runs them: operands are decoded each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/mma.h"

#define RUNS 7
#define SECONDS 0.05

static const struct {
    const char *arch, *name;
} subjects[] = {
    {"sm_90", "mma.m16n8k16.f32.bf16.bf16.f32"},
    {"sm_90", "mma.m16n8k16.f32.f16.f16.f32"},
    {"sm_90", "mma.m16n8k16.f16.f16.f16.f16"},
    {"sm_90", "mma.m16n8k8.f32.tf32.tf32.f32"},
    {"sm_90", "mma.m16n8k32.f32.e4m3.e4m3.f32"},
    {"sm_90", "wgmma.m64n128k16.f32.bf16.bf16"},
    {"sm_90", "wgmma.m64n128k32.f32.e4m3.e4m3"},
    {"sm_80", "mma.m16n8k16.f32.bf16.bf16.f32"},
    {"sm_120", "mma.m16n8k64.mxf4nvf4.4X.f32.e2m1.e2m1.f32.ue4m3"},
    {"gfx942", "mfma.f32.32x32x8.bf16"},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median multiply-adds a second; 0 when the path is missing. */
static double measure(const assay_mma *mma, assay_mma_path path) {
    static uint64_t a[64 * 64], b[256 * 64], c[64 * 256];
    static uint8_t scales[256 * 4];
    if (!assay_mma_path_available(path)) return 0.0;
    memset(scales, 0x38, sizeof scales);
    /* Codes that are numbers in every format. */
    for (size_t i = 0; i < sizeof a; i++) ((uint8_t *)a)[i] = (uint8_t)(0x30 + i * 37 % 16);
    for (size_t i = 0; i < sizeof b; i++) ((uint8_t *)b)[i] = (uint8_t)(0x30 + i * 53 % 16);
    const int64_t m = mma->m, n = mma->n ? mma->n : 128, k = mma->k;
    const assay_mma_tile_args tile = {.m = m,
                                      .n = n,
                                      .k = k,
                                      .a = {a, k, 1},
                                      .b = {b, 1, k},
                                      .c = c,
                                      .d = c,
                                      .c_stride = n,
                                      .d_stride = n,
                                      .a_scale = scales,
                                      .b_scale = scales,
                                      .path = path};
    double rates[RUNS];
    for (int r = 0; r < RUNS; r++) {
        memset(c, 0, sizeof c);
        const double start = now();
        double spent;
        int64_t tiles = 0;
        do {
            for (int i = 0; i < 16; i++, tiles++)
                if (assay_mma_tile(mma, &tile)) return 0.0;
            spent = now() - start;
        } while (spent < SECONDS);
        rates[r] = (double)(tiles * m * n * k) / spent;
    }
    qsort(rates, RUNS, sizeof rates[0], by_value);
    return rates[RUNS / 2];
}

int main(void) {
    static const char *const paths[] = {"best", "plain", "portable", "avx2", "avx512"};
    printf("{\"schema\": \"assay-mma-speed-1\", \"unit\": \"multiply-adds/s of processor time, one "
           "thread\",\n"
           " \"rows\": [");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const assay_mma *mma = assay_mma_find(subjects[i].arch, subjects[i].name);
        if (!mma) return 3;
        printf("%s\n  {\"arch\": \"%s\", \"instruction\": \"%s\"", i ? "," : "", subjects[i].arch,
               subjects[i].name);
        for (int path = ASSAY_MMA_BEST; path <= ASSAY_MMA_AVX512; path++)
            printf(", \"%s\": %.3g", paths[path], measure(mma, (assay_mma_path)path));
        printf("}");
    }
    printf("\n]}\n");
    return 0;
}
