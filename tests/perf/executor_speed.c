/* executor_speed: elements a second of rms_norm 1024 x 4096 bf16 in the executor, on one and on all
 * host threads, median of several launches. A measurement, not a test: it judges nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "assay/rms_norm.h"
#include "assay/simt.h"

#define ROWS 1024
#define D 4096
#define RUNS 9

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median elements a second; negative on failure. */
static double measure(int threads) {
    const assay_simt_options options = {.host_threads = threads};
    assay_simt *simt;
    void *x, *w, *y;
    if (assay_simt_create(&options, &simt) || assay_simt_alloc(simt, "x", 2 * ROWS * D, 0, &x) ||
        assay_simt_alloc(simt, "w", 2 * D, 0, &w) ||
        assay_simt_alloc(simt, "y", 2 * ROWS * D, 0, &y))
        return -1.0;
    for (int i = 0; i < ROWS * D; i++) ((uint16_t *)x)[i] = (uint16_t)(0x3f00 + i * 37 % 256);
    for (int i = 0; i < D; i++) ((uint16_t *)w)[i] = (uint16_t)(0x3f80 + i % 64);
    const assay_rms_norm_args args = {.x = x,
                                      .w = w,
                                      .y = y,
                                      .rows = ROWS,
                                      .d = D,
                                      .x_stride = D,
                                      .y_stride = D,
                                      .eps = 1e-6f,
                                      .x_dtype = ASSAY_BF16,
                                      .y_dtype = ASSAY_BF16};
    const assay_target target = {
        .backend = ASSAY_SIMT, .chip = assay_simt_chip(simt), .stream = simt};
    double rates[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const double start = now();
        if (assay_rms_norm(&args, &target)) return -1.0;
        rates[r] = ROWS * (double)D / (now() - start);
    }
    assay_simt_destroy(simt);
    qsort(rates, RUNS, sizeof rates[0], by_value);
    return rates[RUNS / 2];
}

int main(void) {
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const double one = measure(1), many = measure(all);
    if (one < 0.0 || many < 0.0) {
        fprintf(stderr, "executor_speed: %s\n", assay_last_error());
        return 3;
    }
    printf("rms_norm 1024 x 4096 bf16 in the executor: %.1f M elements/s on 1 thread, %.1f M on %d "
           "(ratio %.2f)\n",
           one * 1e-6, many * 1e-6, all, many / one);
    return 0;
}
