#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "run_case.h"

/* log(hi / lo): relative widths, which products add and square roots halve. */
static double width(double lo, double hi) { return lo == hi ? 0 : log(hi / lo); }

/* A step scales the width that it takes over by some factor (a half for 1/sqrt, less than 1 where
 * eps is added) and adds its own; the factor holds for every earlier step alike. */
bool assay_explain_shares(const assay_explanation *e, double shares[ASSAY_EXPLAIN_STEPS]) {
    double total = 0;
    for (size_t i = 0; i < e->count; i++) {
        const assay_explain_step *s = &e->steps[i];
        const double carried = width(s->ends.carried_lo, s->ends.carried_hi);
        const double after = width(s->ends.lo, s->ends.hi);
        if (!s->joins) {
            const double kept = total > 0 && !s->decides ? carried / total : 0;
            for (size_t k = 0; k < i; k++) shares[k] *= kept;
        }
        shares[i] = s->decides ? after : after - carried;
        total = 0;
        for (size_t k = 0; k <= i; k++) total += shares[k];
    }
    const bool known = isfinite(total) && total > 0;
    for (size_t i = 0; i < e->count; i++) shares[i] = known ? shares[i] / total : (double)NAN;
    return known;
}

static size_t first_output(const assay_operands *o) {
    size_t i = 0;
    while (i + 1 < o->count && !(o->tensors[i].output && o->tensors[i].present)) i++;
    return i;
}

/* The element to look at: the worst failure, else the largest error over bound. */
static assay_status choose(const assay_case *c, const assay_operands *o, const char *contract,
                           size_t output, const void *got, assay_explained *out) {
    const assay_tensor *t = &o->tensors[output];
    const int64_t size = assay_tensor_unit_size(t), units = assay_tensor_units(t);
    const int64_t columns = t->shape[t->rank - 1];
    assay_bound *bounds = malloc((size_t)size * sizeof *bounds);
    if (!bounds) return assay_fail(ASSAY_ERR_MEMORY, "no memory for bounds");
    assay_tally tally;
    assay_tally_start(&tally);
    assay_status status = ASSAY_OK;
    for (int64_t unit = 0; unit < units && !status; unit++) {
        status = c->op->oracle(c, o->tensors, (const void *const *)o->dense, contract, output, unit,
                               bounds);
        if (!status)
            assay_tally_add(&tally, t->dtype,
                            (const char *)got + (size_t)(unit * size) * assay_dtype_size(t->dtype),
                            unit * size, size, bounds, NULL);
    }
    free(bounds);
    const int64_t at = tally.worst_at >= 0       ? tally.worst_at
                       : tally.max_slack_at >= 0 ? tally.max_slack_at
                                                 : 0;
    out->chosen = tally.worst_at >= 0       ? "the worst failure"
                  : tally.max_slack_at >= 0 ? "the largest error over bound of the case"
                                            : "no element has a finite bound";
    out->row = at / columns;
    out->column = at % columns;
    return status;
}

/* One launch; that the kernel fails is no failure of the explanation. */
static void run(const assay_run_options *options, const assay_case *c, const assay_operands *o,
                assay_launched *launched, assay_explained *out) {
    assay_device device;
    const char *check = NULL;
    assay_status status = assay_device_open(options->backend, options->chip, &device);
    if (!status) {
        device.target.kernels = options->kernels;
        status = assay_launch_once(&device, c, o, 0xff, options->seed, launched, &check);
        device.close(&device);
    }
    out->ran = status == ASSAY_OK;
    if (out->ran)
        snprintf(out->kernel, sizeof out->kernel, "%s", launched->ran.kernel);
    else
        snprintf(out->trouble, sizeof out->trouble, "%s%s%s", check ? check : "", check ? ": " : "",
                 assay_last_error());
}

static assay_status explain_element(const assay_run_options *options, const assay_operands *o,
                                    assay_explained *out) {
    const assay_case *c = &out->c;
    const size_t output = first_output(o);
    const assay_tensor *t = &out->tensor;
    const int64_t columns = t->shape[t->rank - 1], elements = assay_tensor_elements(t);
    if (elements <= 0) return assay_fail(ASSAY_ERR_ARGUMENT, "the case has no output element");
    assay_launched launched = {.out = {NULL}};
    run(options, c, o, &launched, out);
    assay_status status = ASSAY_OK;
    if (out->row < 0 && out->ran) {
        status = choose(c, o, options->contract, output, launched.out[output], out);
    } else if (out->row < 0) {
        out->row = out->column = 0;
        out->chosen = "the first one";
    } else {
        out->chosen = "as asked";
    }
    if (!status && (out->row >= elements / columns || out->column < 0 || out->column >= columns))
        status = assay_fail(ASSAY_ERR_ARGUMENT,
                            "%s has %lld rows of %lld columns; there is no row %lld, column %lld",
                            t->role, (long long)(elements / columns), (long long)columns,
                            (long long)out->row, (long long)out->column);
    const int64_t at = out->row * columns + out->column;
    if (!status && out->ran) out->got = assay_format_load(t->dtype, launched.out[output], at);
    if (!status)
        status = c->op->explain(c, o->tensors, (const void *const *)o->dense, options->contract,
                                output, at, &out->explanation);
    assay_launched_free(&launched);
    return status;
}

assay_status assay_explain(const assay_run_options *options, const assay_case *c, int64_t row,
                           int64_t column, assay_explained *out) {
    memset(out, 0, sizeof *out);
    out->c = *c;
    out->row = row;
    out->column = column;
    out->contract = options->contract;
    if (!c->op->explain)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "%s does not explain its bounds", c->op->name);
    assay_operands o;
    assay_status status = assay_operands_create(c, &o);
    if (status) return status;
    out->tensor = o.tensors[first_output(&o)];
    status = explain_element(options, &o, out);
    assay_operands_free(&o);
    return status;
}
