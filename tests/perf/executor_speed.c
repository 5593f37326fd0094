/* executor_speed: how fast the executor runs rms_norm 1024 x 4096 bf16 on one core, and on all: its
 * fast build and its checked one, through 16-byte accesses and through plain ones (a misaligned x).
 * A thread operation is one lane's plain access, or its part in an operation of the device layer
 * that reaches the executor: a vector access, an atomic, a shuffle, a barrier; arithmetic does not
 * count. One JSON object on standard output; medians. A measurement, not a test: it judges nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "assay/rms_norm.h"
#include "assay/simt.h"

#define ROWS 1024
#define D 4096
#define RUNS 9

typedef struct setting {
    bool checked, vector;
    int threads;
} setting;

/* One thread's figures are per core, so of processor time: others may use the machine, too. */
static double now(int threads) {
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool start(const setting *s, assay_simt **simt, assay_rms_norm_args *args) {
    const assay_simt_options options = {.host_threads = s->threads, .checked = s->checked};
    const size_t offset = s->vector ? 0 : 2;
    void *x, *w, *y;
    if (assay_simt_create(&options, simt) ||
        assay_simt_alloc(*simt, "x", 2 * ROWS * D, offset, &x) ||
        assay_simt_alloc(*simt, "w", 2 * D, 0, &w) ||
        assay_simt_alloc(*simt, "y", 2 * ROWS * D, 0, &y))
        return false;
    for (int i = 0; i < ROWS * D; i++) ((uint16_t *)x)[i] = (uint16_t)(0x3f00 + i * 37 % 256);
    for (int i = 0; i < D; i++) ((uint16_t *)w)[i] = (uint16_t)(0x3f80 + i % 64);
    *args = (assay_rms_norm_args){.x = x,
                                  .w = w,
                                  .y = y,
                                  .rows = ROWS,
                                  .d = D,
                                  .x_stride = D,
                                  .y_stride = D,
                                  .eps = 1e-6f,
                                  .x_dtype = ASSAY_BF16,
                                  .y_dtype = ASSAY_BF16};
    return true;
}

/* Median seconds of a launch; negative on failure. */
static double measure(const setting *s) {
    assay_simt *simt;
    assay_rms_norm_args args;
    if (!start(s, &simt, &args)) return -1.0;
    const assay_target target = {
        .backend = ASSAY_SIMT, .chip = assay_simt_chip(simt), .stream = simt};
    double seconds[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const double begin = now(s->threads);
        if (assay_rms_norm(&args, &target)) return -1.0;
        seconds[r] = now(s->threads) - begin;
    }
    assay_simt_destroy(simt);
    qsort(seconds, RUNS, sizeof seconds[0], by_value);
    return seconds[RUNS / 2];
}

/* Thread operations of one launch, as the checked executor counts them; 0 on failure. */
static double operations(bool vector) {
    const setting s = {.checked = true, .vector = vector, .threads = 1};
    assay_simt *simt;
    assay_rms_norm_args args;
    if (!start(&s, &simt, &args) || !assay_simt_set_counting(simt, true)) return 0.0;
    const assay_target target = {
        .backend = ASSAY_SIMT, .chip = assay_simt_chip(simt), .stream = simt};
    const double count = assay_rms_norm(&args, &target) == ASSAY_OK
                             ? (double)assay_simt_counted(simt).lane_operations
                             : 0.0;
    assay_simt_destroy(simt);
    return count;
}

int main(void) {
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const setting settings[] = {
        {false, true, 1}, {false, false, 1}, {true, true, 1}, {true, false, 1}, {false, true, all},
    };
    const double counts[] = {operations(false), operations(true)};
    const char *before = "";
    printf("{\"case\":\"rms_norm dt=bf16 rows=%d d=%d\",\"runs\":[", ROWS, D);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const setting *s = &settings[i];
        const double seconds = measure(s), count = counts[s->vector];
        if (seconds < 0.0 || count <= 0.0) {
            fprintf(stderr, "executor_speed: %s\n", assay_last_error());
            return 3;
        }
        printf("%s\n{\"build\":\"%s\",\"path\":\"%s\",\"threads\":%d,\"seconds\":%.4f,"
               "\"elements_per_second\":%.4g,\"thread_operations\":%.0f,"
               "\"thread_operations_per_second\":%.4g}",
               before, s->checked ? "checked" : "fast", s->vector ? "vector" : "scalar", s->threads,
               seconds, ROWS * (double)D / seconds, count, count / seconds);
        before = ",";
    }
    printf("\n]}\n");
    return 0;
}
