/* The back-end-independent half of the bench: operands, rotation, statistics, validation. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "compare.h"
#include "operands.h"

#define DENSE_UNITS 64                    /* units generated; the device's repeat them */
#define ROTATE_BYTES (INT64_C(192) << 20) /* three times a 60 MB cache, and some */
#define MAX_COPIES 16
#define BATCH_US 4000.0
#define WARM_UP_US 300000.0

typedef struct bench {
    assay_device device;
    const assay_case *c;
    assay_operands whole, dense; /* whole: shapes only; dense: the generated units */
    void *sets[MAX_COPIES][ASSAY_MAX_TENSORS];
    int copies;
    int next; /* set of the next launch */
} bench;

static int64_t moved_bytes(const assay_operands *o) {
    int64_t bytes = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->tensors[i].present) bytes += (int64_t)assay_tensor_bytes(&o->tensors[i]);
    return bytes;
}

/* Uploads the generated units again and again until the device tensor is full. */
static assay_status fill_tensor(bench *b, size_t i, char *to) {
    const assay_tensor *t = &b->whole.tensors[i];
    const size_t whole = assay_tensor_bytes(t), part = assay_tensor_bytes(&b->dense.tensors[i]);
    for (size_t at = 0; at < whole; at += part) {
        const size_t bytes = whole - at < part ? whole - at : part;
        const assay_status status = b->device.upload(&b->device, to + at, b->dense.dense[i], bytes);
        if (status) return status;
    }
    return ASSAY_OK;
}

static assay_status make_sets(bench *b) {
    int64_t streamed = 0;
    for (size_t i = 0; i < b->whole.count; i++)
        if (b->whole.tensors[i].present && b->whole.tensors[i].batched &&
            !b->whole.tensors[i].output)
            streamed += (int64_t)assay_tensor_bytes(&b->whole.tensors[i]);
    b->copies = (int)(ROTATE_BYTES / (streamed > 0 ? streamed : 1)) + 1;
    if (b->copies < 2) b->copies = 2;
    if (b->copies > MAX_COPIES) b->copies = MAX_COPIES;
    assay_status status = ASSAY_OK;
    for (int s = 0; s < b->copies && !status; s++) {
        for (size_t i = 0; i < b->whole.count && !status; i++) {
            const assay_tensor *t = &b->whole.tensors[i];
            if (!t->present) continue;
            if (s > 0 && !t->batched) { /* a weight stays in cache in real use, too */
                b->sets[s][i] = b->sets[0][i];
                continue;
            }
            const size_t bytes = assay_tensor_bytes(t);
            status = b->device.alloc(&b->device, t->role, bytes, 0, &b->sets[s][i]);
            if (!status && t->output)
                status = b->device.fill(&b->device, b->sets[s][i], 0xff, bytes);
            if (!status && !t->output) status = fill_tensor(b, i, b->sets[s][i]);
        }
    }
    return status;
}

static assay_status run_kernel(bench *b, int launches, assay_ran *ran) {
    assay_target target = b->device.target;
    target.ran = ran;
    for (int i = 0; i < launches; i++) {
        const assay_status status =
            b->c->op->launch(b->c, b->whole.tensors, b->sets[b->next], &target);
        if (status) return status;
        b->next = (b->next + 1) % b->copies;
    }
    return ASSAY_OK;
}

static assay_status run_copy(bench *b, int launches, assay_ran *ran) {
    (void)ran;
    size_t x = 0, y = 0;
    for (size_t i = b->whole.count; i-- > 0;) {
        if (!b->whole.tensors[i].batched) continue;
        if (b->whole.tensors[i].output)
            y = i;
        else
            x = i;
    }
    for (int i = 0; i < launches; i++) {
        const assay_status status =
            b->device.copy(&b->device, b->sets[b->next][y], b->sets[b->next][x],
                           assay_tensor_bytes(&b->whole.tensors[x]));
        if (status) return status;
        b->next = (b->next + 1) % b->copies;
    }
    return ASSAY_OK;
}

typedef assay_status runner(bench *, int, assay_ran *);

/* Microseconds a launch, of one batch. */
static assay_status time_batch(bench *b, runner *run, int launches, assay_ran *ran, double *us) {
    assay_status status = b->device.timer_start(&b->device);
    if (!status) status = run(b, launches, ran);
    if (!status) status = b->device.timer_stop(&b->device, us);
    *us /= launches;
    return status;
}

/* Warms up, and finds how many launches fill a batch. */
static assay_status calibrate(bench *b, runner *run, assay_ran *ran, int *launches) {
    double us = 0.0, spent = 0.0;
    *launches = 1;
    while (spent < WARM_UP_US) {
        const assay_status status = time_batch(b, run, *launches, ran, &us);
        if (status) return status;
        spent += us * *launches + 1.0;
        if (us * *launches < BATCH_US && *launches < 4096) *launches *= 2;
    }
    return ASSAY_OK;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *values, double q) {
    double sorted[ASSAY_BENCH_ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ASSAY_BENCH_ROUNDS, sizeof sorted[0], by_value);
    return sorted[(int)(q * (ASSAY_BENCH_ROUNDS - 1) + 0.5)];
}

static assay_status measure(bench *b, assay_bench_row *row) {
    double kernel[ASSAY_BENCH_ROUNDS], copy[ASSAY_BENCH_ROUNDS], ratio[ASSAY_BENCH_ROUNDS];
    int kernel_launches, copy_launches;
    assay_ran ran;
    assay_status status = calibrate(b, run_copy, &ran, &copy_launches);
    if (!status) status = calibrate(b, run_kernel, &ran, &kernel_launches);
    for (int r = 0; r < ASSAY_BENCH_ROUNDS && !status; r++) {
        double k1 = 0, k2 = 0, c1 = 0, c2 = 0;
        status = time_batch(b, run_kernel, kernel_launches, &ran, &k1);
        if (!status) status = time_batch(b, run_copy, copy_launches, &ran, &c1);
        if (!status) status = time_batch(b, run_copy, copy_launches, &ran, &c2);
        if (!status) status = time_batch(b, run_kernel, kernel_launches, &ran, &k2);
        kernel[r] = (k1 + k2) / 2;
        copy[r] = (c1 + c2) / 2;
        ratio[r] = copy[r] / kernel[r];
    }
    if (status) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", ran.kernel);
    row->median_us = quantile(kernel, 0.5);
    row->p10_us = quantile(kernel, 0.1);
    row->p90_us = quantile(kernel, 0.9);
    row->copy_us = quantile(copy, 0.5);
    row->ratio_to_copy = quantile(ratio, 0.5);
    row->ratio_low = quantile(ratio, 0.0);
    row->ratio_high = quantile(ratio, 1.0);
    return ASSAY_OK;
}

/* Sampled units of the last kernel output against the oracle: a fast wrong kernel has no speed. */
static assay_status validate(bench *b, assay_bench_row *row) {
    size_t y = 0;
    for (size_t i = 0; i < b->whole.count; i++)
        if (b->whole.tensors[i].output) y = i;
    const assay_tensor *t = &b->whole.tensors[y];
    const int64_t units = assay_tensor_units(t), size = assay_tensor_unit_size(t);
    const int64_t held = assay_tensor_units(&b->dense.tensors[y]);
    const size_t bytes = (size_t)size * assay_dtype_size(t->dtype);
    assay_bound *bounds = malloc((size_t)size * sizeof *bounds);
    char *got = malloc(bytes);
    assay_tally tally;
    assay_ran ran;
    assay_tally_start(&tally);
    assay_status status =
        bounds && got ? ASSAY_OK : assay_fail(ASSAY_ERR_MEMORY, "bench: no memory to validate");
    for (int i = 0; i < b->copies && !status; i++) status = run_kernel(b, 1, &ran);
    const int64_t picks[] = {0, 1, held - 1, units / 2, units - 1};
    for (size_t k = 0; k < sizeof picks / sizeof picks[0] && !status; k++) {
        const int64_t unit = picks[k] < 0 || picks[k] >= units ? 0 : picks[k];
        status = b->c->op->oracle(b->c, b->dense.tensors, (const void *const *)b->dense.dense, NULL,
                                  y, unit % held, bounds);
        if (!status)
            status = b->device.download(&b->device, got,
                                        (char *)b->sets[0][y] + (size_t)unit * bytes, bytes);
        if (!status) status = b->device.sync(&b->device);
        if (!status) assay_tally_add(&tally, t->dtype, got, unit * size, size, bounds, NULL);
    }
    row->validated = tally.compared;
    if (!status && tally.failed)
        status = assay_fail(ASSAY_ERR_KERNEL, "bench: %lld of %lld sampled outputs are wrong",
                            (long long)tally.failed, (long long)tally.compared);
    free(bounds);
    free(got);
    return status;
}

assay_status assay_bench(assay_backend backend, const assay_case *c, assay_bench_row *row) {
    bench b = {.c = c};
    memset(row, 0, sizeof *row);
    row->c = *c;
    assay_status status = assay_device_open(backend, NULL, &b.device);
    if (status) return status;
    if (!b.device.timer_start) {
        b.device.close(&b.device);
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "bench: %s cannot be timed",
                          assay_backend_name(backend));
    }
    status = c->op->describe(c, b.whole.tensors, &b.whole.count);
    int64_t units = 1;
    for (size_t i = 0; i < b.whole.count; i++)
        if (b.whole.tensors[i].output) units = assay_tensor_units(&b.whole.tensors[i]);
    const assay_case part = c->op->slice(c, 0, units < DENSE_UNITS ? units : DENSE_UNITS);
    if (!status) status = assay_operands_create(&part, &b.dense);
    if (!status) status = make_sets(&b);
    if (!status) status = measure(&b, row);
    if (!status) status = validate(&b, row);
    row->bytes = moved_bytes(&b.whole);
    row->copies = b.copies;
    assay_operands_free(&b.dense);
    b.device.close(&b.device);
    return status;
}
