#include "run_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "compare.h"
#include "failure_text.h"

/* Two poisons with no byte in common: what keeps its poison in both runs was never written. */
#define POISON_FIRST 0xff
#define POISON_SECOND 0x5a

/* Layout and batch checks launch a case some ten times more: only up to so many outputs. */
#define LAYOUT_LIMIT 16384

static void fail(assay_result *r, const char *check, const char *message) {
    r->word = ASSAY_FAILED;
    r->check = check;
    snprintf(r->message, sizeof r->message, "%s", message);
}

/* Sorts a failed launch into the kernel's fault, a refusal, or ours. */
static void launch_failed(assay_result *r, assay_status status, const char *check) {
    r->check = check ? check : "";
    snprintf(r->message, sizeof r->message, "%s", assay_last_error());
    const bool at_launch = check && strcmp(check, "launch") == 0;
    const bool running = check && strcmp(check, "execution") == 0;
    if (status == ASSAY_ERR_KERNEL || (running && status == ASSAY_ERR_DEVICE)) {
        r->word = ASSAY_FAILED;
        if (at_launch) r->check = "execution"; /* the executor runs inside the launch */
    } else if (at_launch && status != ASSAY_ERR_DEVICE && status != ASSAY_ERR_INTERNAL &&
               status != ASSAY_ERR_MEMORY) {
        r->word = ASSAY_REFUSED;
    } else {
        r->word = ASSAY_HARNESS_ERROR;
    }
}

static bool launch(assay_device *device, const assay_case *c, const assay_operands *o, int poison,
                   uint64_t seed, assay_launched *out, assay_result *r) {
    const char *check;
    const assay_status status = assay_launch_once(device, c, o, poison, seed, out, &check);
    if (status) launch_failed(r, status, check);
    r->launches++;
    return status == ASSAY_OK;
}

/* First element whose canonical bits differ between a[a_first + i] and b[i]; -1: none. */
static int64_t first_difference(const assay_tensor *t, const void *a, int64_t a_first,
                                const void *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const uint32_t left = assay_format_load(t->dtype, a, a_first + i);
        const uint32_t right = assay_format_load(t->dtype, b, i);
        if (left != right &&
            assay_format_canonical(t->dtype, left) != assay_format_canonical(t->dtype, right))
            return i;
    }
    return -1;
}

static void report_difference(assay_result *r, const char *check, const char *what,
                              const assay_tensor *t, const void *a, int64_t a_first, const void *b,
                              int64_t at) {
    char text[512];
    const int64_t columns = t->shape[t->rank - 1];
    snprintf(text, sizeof text,
             "%s: \"%s\" differs first at row %lld, column %lld: 0x%x before, 0x%x now", what,
             t->role, (long long)((a_first + at) / columns), (long long)((a_first + at) % columns),
             assay_format_load(t->dtype, a, a_first + at), assay_format_load(t->dtype, b, at));
    fail(r, check, text);
}

/* The second run: other poison, other schedule. */
static bool check_second_run(assay_device *device, const assay_case *c, const assay_operands *o,
                             const assay_run_options *options, const assay_launched *first,
                             assay_result *r) {
    assay_launched second;
    if (!launch(device, c, o, POISON_SECOND, options->seed + 0x9e3779b9u, &second, r)) return false;
    for (size_t i = 0; i < o->count && r->word == ASSAY_PASSED; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!first->out[i]) continue;
        const int64_t elements = assay_tensor_elements(t);
        const int64_t at = first_difference(t, first->out[i], 0, second.out[i], elements);
        if (at < 0) continue;
        const uint32_t ones = t->dtype == ASSAY_F32 ? 0xffffffffu : 0xffffu;
        const bool untouched =
            assay_format_load(t->dtype, first->out[i], at) == ones &&
            assay_format_load(t->dtype, second.out[i], at) == (0x5a5a5a5au & ones);
        report_difference(r, untouched ? "fully_written" : "same_bits_every_run",
                          untouched ? "an output element was never written"
                                    : "a second run under another schedule gave other bits",
                          t, first->out[i], 0, second.out[i], at);
    }
    assay_launched_free(&second);
    return r->word == ASSAY_PASSED;
}

/* Layouts, offsets and aliasing that must not change a bit. */
static bool check_layouts(assay_device *device, const assay_case *c, const assay_operands *o,
                          const assay_run_options *options, const assay_launched *base,
                          assay_result *r) {
    for (const char *const *text = c->op->same_bits; text && *text; text++) {
        assay_case variant = *c;
        assay_operands other = *o; /* the same dense data under another layout */
        if (assay_case_override(&variant, *text)) continue;
        if (c->op->describe(&variant, other.tensors, &other.count)) continue;
        assay_launched l;
        if (!launch(device, &variant, &other, POISON_FIRST, options->seed, &l, r)) {
            char text_with_layout[ASSAY_MESSAGE];
            snprintf(text_with_layout, sizeof text_with_layout, "with %s: %.1900s", *text,
                     r->message);
            memcpy(r->message, text_with_layout, sizeof r->message);
            return false;
        }
        for (size_t i = 0; i < o->count && r->word == ASSAY_PASSED; i++) {
            if (!base->out[i]) continue;
            const int64_t elements = assay_tensor_elements(&o->tensors[i]);
            const int64_t at =
                first_difference(&o->tensors[i], base->out[i], 0, l.out[i], elements);
            if (at >= 0)
                report_difference(r, "same_bits_any_layout", *text, &o->tensors[i], base->out[i], 0,
                                  l.out[i], at);
        }
        assay_launched_free(&l);
        if (r->word != ASSAY_PASSED) return false;
    }
    return true;
}

/* A unit alone must have the bits it had in the batch. */
static bool check_one_unit(assay_device *device, const assay_case *c, const assay_operands *o,
                           const assay_run_options *options, const assay_launched *base,
                           int64_t unit, assay_result *r) {
    const assay_case part = c->op->slice(c, unit, 1);
    assay_operands alone;
    if (assay_operands_slice(o, &part, unit, &alone)) {
        launch_failed(r, ASSAY_ERR_INTERNAL, NULL);
        return false;
    }
    assay_launched l;
    const bool ran = launch(device, &part, &alone, POISON_FIRST, options->seed, &l, r);
    for (size_t i = 0; ran && i < o->count && r->word == ASSAY_PASSED; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!base->out[i] || !t->batched) continue;
        const int64_t size = assay_tensor_unit_size(t);
        const int64_t at = first_difference(t, base->out[i], unit * size, l.out[i], size);
        if (at >= 0)
            report_difference(r, "same_bits_any_batch", "a row run alone gave other bits", t,
                              base->out[i], unit * size, l.out[i], at);
    }
    if (ran) assay_launched_free(&l);
    assay_operands_free(&alone);
    return r->word == ASSAY_PASSED;
}

static bool check_batch(assay_device *device, const assay_case *c, const assay_operands *o,
                        const assay_run_options *options, const assay_launched *base,
                        assay_result *r) {
    int64_t units = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->tensors[i].output) units = assay_tensor_units(&o->tensors[i]);
    if (units < 2) return true;
    const int64_t picks[] = {0, units / 2, units - 1};
    for (size_t i = 0; i < 3; i++)
        if (!check_one_unit(device, c, o, options, base, picks[i], r)) return false;
    return true;
}

static bool check_kernel_name(const assay_case *c, const assay_operands *o, const assay_launched *l,
                              assay_result *r) {
    char expected[96], text[256];
    snprintf(r->kernel, sizeof r->kernel, "%s", l->ran.kernel);
    c->op->expected_kernel(c, o->tensors, expected, sizeof expected);
    if (strcmp(expected, l->ran.kernel) == 0) return true;
    snprintf(text, sizeof text, "kernel \"%s\" ran where \"%s\" was meant to", l->ran.kernel,
             expected);
    fail(r, "kernel_meant_to_run", text);
    return false;
}

/* Bounds of every output. */
static bool check_bounds(const assay_case *c, const assay_operands *o,
                         const assay_run_options *options, const assay_launched *l,
                         assay_result *r) {
    for (size_t i = 0; i < o->count; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!l->out[i]) continue;
        const int64_t size = assay_tensor_unit_size(t), units = assay_tensor_units(t);
        assay_bound *bounds = malloc((size_t)(size > 0 ? size : 1) * sizeof *bounds);
        unsigned char *failures = calloc(assay_tensor_bytes(t), 1);
        assay_status status =
            bounds && failures ? ASSAY_OK : assay_fail(ASSAY_ERR_MEMORY, "no memory for bounds");
        assay_tally_start(&r->tally);
        for (int64_t unit = 0; unit < units && !status; unit++) {
            status = c->op->oracle(c, o->tensors, (const void *const *)o->dense, options->contract,
                                   i, unit, bounds);
            if (!status)
                assay_tally_add(&r->tally, t->dtype,
                                (char *)l->out[i] +
                                    (size_t)(unit * size) * assay_dtype_size(t->dtype),
                                unit * size, size, bounds, failures + unit * size);
        }
        r->outputs += r->tally.compared;
        r->slack_known = t->dtype == ASSAY_F32;
        if (status) launch_failed(r, ASSAY_ERR_INTERNAL, NULL);
        if (!status && r->tally.failed > 0) {
            r->word = ASSAY_FAILED;
            r->check = "bounds";
            assay_failure_text(c, t, &r->tally, failures, r->message, sizeof r->message);
        } else if (!status && 2 * r->tally.ill > r->tally.compared) {
            r->word = ASSAY_ILL_CONDITIONED;
            r->check = "bounds";
            snprintf(r->message, sizeof r->message,
                     "the bounds of %lld of %lld outputs are wider than a quarter of the value",
                     (long long)r->tally.ill, (long long)r->tally.compared);
        }
        free(bounds);
        free(failures);
        if (r->word != ASSAY_PASSED) return false;
    }
    return true;
}

/* The device and the executor must agree on every bit. */
static bool check_twin(assay_device *twin, const assay_case *c, const assay_operands *o,
                       const assay_run_options *options, const assay_launched *base,
                       assay_result *r) {
    assay_launched l;
    if (!launch(twin, c, o, POISON_FIRST, options->seed, &l, r)) return false;
    for (size_t i = 0; i < o->count && r->word == ASSAY_PASSED; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!base->out[i]) continue;
        const int64_t elements = assay_tensor_elements(t);
        const int64_t at = first_difference(t, base->out[i], 0, l.out[i], elements);
        r->compared_bits += elements;
        if (at >= 0)
            report_difference(r, "same_bits_as_executor", "the executor gives other bits", t,
                              base->out[i], 0, l.out[i], at);
    }
    assay_launched_free(&l);
    return r->word == ASSAY_PASSED;
}

void assay_run_case(assay_device *device, assay_device *twin, const assay_case *c,
                    const assay_operands *o, const assay_run_options *options, assay_result *r) {
    assay_launched first;
    r->word = ASSAY_PASSED;
    r->check = "";
    r->counted = options->counters && assay_simt_set_counting(device->target.stream, true);
    if (!launch(device, c, o, POISON_FIRST, options->seed, &first, r)) return;
    if (r->counted) r->counters = assay_simt_counted(device->target.stream);
    assay_hash_launch(o, first.out, r->input_hash, r->output_hash);
    int64_t outputs = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->tensors[i].output) outputs += assay_tensor_elements(&o->tensors[i]);
    bool ok = check_kernel_name(c, o, &first, r) && check_bounds(c, o, options, &first, r) &&
              check_second_run(device, c, o, options, &first, r) &&
              (!twin || check_twin(twin, c, o, options, &first, r));
    if (ok && outputs <= LAYOUT_LIMIT)
        ok = check_layouts(device, c, o, options, &first, r) &&
             check_batch(device, c, o, options, &first, r);
    assay_launched_free(&first);
}

void assay_run_refusals(assay_device *device, const assay_op *op, assay_result *r) {
    r->c = assay_case_default(op);
    r->word = ASSAY_PASSED;
    r->check = "refusals";
    const size_t tried = op->refusals(&device->target, r->message, sizeof r->message);
    r->launches = 0;
    if (r->message[0]) r->word = ASSAY_FAILED;
    if (tried == 0) fail(r, "refusals", "the op tries no refusals");
}
