/* Laying tensors out in device memory, with strides, offsets and poisoned gaps.
 *
 * A tensor may span many gibibytes of address space while holding little (row stride 2^30): then
 * only MARGIN bytes on either side of each row are poisoned and checked, not the whole gap.
 */
#include <stdlib.h>
#include <string.h>

#include "operands.h"

/* Bytes of extent up to which every gap byte is poisoned. */
#define WHOLE_LIMIT (INT64_C(64) << 20)
#define MARGIN INT64_C(4096)
#define NO_ALIAS (-1)

/* Rows: runs of the last dimension. */
static int64_t row_count(const assay_tensor *t) {
    int64_t n = 1;
    for (int i = 0; i + 1 < t->rank; i++) n *= t->shape[i];
    return assay_tensor_elements(t) == 0 ? 0 : n;
}

static int64_t row_bytes(const assay_tensor *t) {
    return t->shape[t->rank - 1] * (int64_t)assay_dtype_size(t->dtype);
}

/* Byte offset of row `row` from element 0. */
static int64_t row_start(const assay_tensor *t, int64_t row) {
    int64_t elements = 0;
    for (int i = t->rank - 2; i >= 0; i--) {
        elements += row % t->shape[i] * t->stride[i];
        row /= t->shape[i];
    }
    return elements * (int64_t)assay_dtype_size(t->dtype);
}

static int64_t extent(const assay_tensor *t) {
    const int64_t rows = row_count(t);
    return rows == 0 ? 0 : row_start(t, rows - 1) + row_bytes(t);
}

/* Calls visit(first, bytes) for each gap piece to poison and check, in address order. Assumes that
 * rows ascend in memory, which every op's describe keeps. */
typedef assay_status gap_visitor(void *context, int64_t first, int64_t bytes);
static assay_status for_each_gap(const assay_tensor *t, gap_visitor *visit, void *context) {
    const int64_t rows = row_count(t);
    const bool whole = extent(t) <= WHOLE_LIMIT;
    for (int64_t row = 0; row + 1 < rows; row++) {
        const int64_t gap = row_start(t, row) + row_bytes(t), next = row_start(t, row + 1);
        assay_status status = ASSAY_OK;
        if (next - gap <= 2 * MARGIN || whole) {
            if (next > gap) status = visit(context, gap, next - gap);
        } else {
            status = visit(context, gap, MARGIN);
            if (!status) status = visit(context, next - MARGIN, MARGIN);
        }
        if (status) return status;
    }
    return ASSAY_OK;
}

typedef struct gap_context {
    assay_device *device;
    const assay_tensor *tensor;
    char *base;
    int poison;
    unsigned char *scratch;
} gap_context;

static assay_status poison_gap(void *context, int64_t first, int64_t bytes) {
    const gap_context *g = context;
    return g->device->fill(g->device, g->base + first, g->poison, (size_t)bytes);
}

static assay_status check_gap(void *context, int64_t first, int64_t bytes) {
    const gap_context *g = context;
    assay_status status =
        g->device->download(g->device, g->scratch, g->base + first, (size_t)bytes);
    if (!status) status = g->device->sync(g->device);
    for (int64_t i = 0; i < bytes && !status; i++)
        if (g->scratch[i] != (unsigned char)g->poison)
            status = assay_fail(ASSAY_ERR_KERNEL,
                                "\"%s\": the gap between rows was written, at byte %lld from its "
                                "first element",
                                g->tensor->role, (long long)(first + i));
    return status;
}

static assay_status upload_rows(assay_device *device, const assay_tensor *t, char *to,
                                const char *dense) {
    const int64_t bytes = row_bytes(t), rows = row_count(t);
    if (extent(t) == rows * bytes) return device->upload(device, to, dense, (size_t)(rows * bytes));
    for (int64_t row = 0; row < rows; row++) {
        const assay_status status =
            device->upload(device, to + row_start(t, row), dense + row * bytes, (size_t)bytes);
        if (status) return status;
    }
    return ASSAY_OK;
}

static assay_status poison_rows(assay_device *device, const assay_tensor *t, char *to, int poison) {
    for (int64_t row = 0; row < row_count(t); row++) {
        const assay_status status =
            device->fill(device, to + row_start(t, row), poison, (size_t)row_bytes(t));
        if (status) return status;
    }
    return ASSAY_OK;
}

static assay_status place_one(assay_device *device, const assay_operands *o, size_t i,
                              assay_placement *p) {
    const assay_tensor *t = &o->tensors[i];
    if (t->alias != NO_ALIAS) {
        p->device[i] = p->device[t->alias];
        return ASSAY_OK;
    }
    assay_status status =
        device->alloc(device, t->role, (size_t)extent(t),
                      (size_t)t->offset * assay_dtype_size(t->dtype), &p->device[i]);
    if (status) return status;
    gap_context g = {.device = device, .tensor = t, .base = p->device[i], .poison = p->poison};
    status = for_each_gap(t, poison_gap, &g);
    if (status) return status;
    status = t->output ? poison_rows(device, t, p->device[i], p->poison)
                       : upload_rows(device, t, p->device[i], o->dense[i]);
    if (status || !device->declare) return status;
    return device->declare(device, p->device[i], t);
}

assay_status assay_place(assay_device *device, const assay_operands *o, int poison,
                         assay_placement *p) {
    *p = (assay_placement){.poison = poison};
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < o->count && !status; i++)
        if (o->tensors[i].present) status = place_one(device, o, i, p);
    if (!status) status = device->sync(device);
    if (status) assay_unplace(device, o, p);
    return status;
}

void assay_unplace(assay_device *device, const assay_operands *o, assay_placement *p) {
    for (size_t i = 0; i < o->count; i++) {
        if (p->device[i] && o->tensors[i].alias == NO_ALIAS) device->release(device, p->device[i]);
        p->device[i] = NULL;
    }
}

assay_status assay_fetch(assay_device *device, const assay_operands *o, const assay_placement *p,
                         size_t i, void *dense) {
    const assay_tensor *t = &o->tensors[i];
    const int64_t bytes = row_bytes(t), rows = row_count(t);
    const char *from = p->device[i];
    assay_status status = ASSAY_OK;
    if (extent(t) == rows * bytes) {
        status = device->download(device, dense, from, (size_t)(rows * bytes));
    } else {
        for (int64_t row = 0; row < rows && !status; row++)
            status = device->download(device, (char *)dense + row * bytes, from + row_start(t, row),
                                      (size_t)bytes);
    }
    return status ? status : device->sync(device);
}

assay_status assay_check_gaps(assay_device *device, const assay_operands *o,
                              const assay_placement *p) {
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < o->count && !status; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!t->present || t->alias != NO_ALIAS || row_count(t) < 2) continue;
        if (extent(t) == row_count(t) * row_bytes(t)) continue;
        const int64_t longest = extent(t) <= WHOLE_LIMIT ? extent(t) : 2 * MARGIN;
        gap_context g = {.device = device,
                         .tensor = t,
                         .base = p->device[i],
                         .poison = p->poison,
                         .scratch = malloc((size_t)longest)};
        if (!g.scratch) return assay_fail(ASSAY_ERR_MEMORY, "no memory to check gaps");
        status = for_each_gap(t, check_gap, &g);
        free(g.scratch);
    }
    return status;
}
