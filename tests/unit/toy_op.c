#include "toy_op.h"

#include <string.h>

static const char *const dtypes[] = {"f32", "f16", "bf16", NULL};
static const char *const toy_data[] = {"normal", "tail_spike", "zeros", NULL};
static const char *const other_data[] = {"normal", "rising", NULL};

static const assay_attr toy_attrs[] = {
    {.key = "dt", .kind = ASSAY_ATTR_WORD, .always = true, .words = dtypes},
    {.key = "rows", .kind = ASSAY_ATTR_INT, .always = true, .max = 1000000, .fallback = 1},
    {.key = "d", .kind = ASSAY_ATTR_INT, .always = true, .min = 1, .max = 1 << 24, .fallback = 8},
    {.key = "eps", .kind = ASSAY_ATTR_REAL, .real_fallback = 1e-6},
    {.key = "weight", .kind = ASSAY_ATTR_INT, .max = 1, .fallback = 1},
    {.key = "data", .kind = ASSAY_ATTR_WORD, .always = true, .words = toy_data},
    {.key = "seed", .kind = ASSAY_ATTR_INT, .min = INT64_MIN, .max = INT64_MAX, .fallback = 1},
};

static const assay_attr other_attrs[] = {
    {.key = "dt", .kind = ASSAY_ATTR_WORD, .always = true, .words = dtypes},
    {.key = "seq", .kind = ASSAY_ATTR_INT, .always = true, .max = 100},
    {.key = "scale", .kind = ASSAY_ATTR_REAL, .real_fallback = 1},
    {.key = "data", .kind = ASSAY_ATTR_WORD, .always = true, .words = other_data},
};

static void send(const char *const *lines, size_t count, assay_case_sink *sink, void *context) {
    for (size_t i = 0; i < count; i++) {
        assay_case c;
        if (assay_case_parse(lines[i], &c) != ASSAY_OK || !sink(&c, context)) return;
    }
}

static void toy_grid(assay_level level, assay_case_sink *sink, void *context) {
    static const char *const lines[TOY_NIGHTLY] = {
        "toy dt=f32 rows=1 d=8",   "toy dt=bf16 rows=7 d=4096 data=tail_spike",
        "toy dt=f16 rows=2 d=64",  "toy dt=f32 rows=3 d=8192 seed=9",
        "toy dt=bf16 rows=5 d=81", "toy dt=f16 rows=5 d=100 data=zeros weight=0",
        "toy rows=1000 d=65536",
    };
    static const size_t counts[] = {TOY_SMOKE, TOY_CI, TOY_NIGHTLY};
    send(lines, counts[level], sink, context);
}

static void other_grid(assay_level level, assay_case_sink *sink, void *context) {
    static const char *const lines[TOY_OTHER] = {"other seq=1", "other dt=bf16 seq=9 data=rising"};
    (void)level;
    send(lines, TOY_OTHER, sink, context);
}

const assay_op toy = {
    .name = "toy",
    .summary = "y = toy(x)",
    .attrs = toy_attrs,
    .attr_count = sizeof toy_attrs / sizeof toy_attrs[0],
    .grid = toy_grid,
};

const assay_op toy_other = {
    .name = "other",
    .summary = "y = other(x)",
    .attrs = other_attrs,
    .attr_count = sizeof other_attrs / sizeof other_attrs[0],
    .grid = other_grid,
};

size_t assay_op_count(void) { return 2; }

const assay_op *assay_op_at(size_t index) {
    return index == 0 ? &toy : index == 1 ? &toy_other : NULL;
}

const assay_op *assay_op_find(const char *name) {
    for (size_t i = 0; i < assay_op_count(); i++)
        if (strcmp(assay_op_at(i)->name, name) == 0) return assay_op_at(i);
    return NULL;
}
