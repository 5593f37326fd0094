/* The witness of a mutated kernel: a case that shows it to differ from the unmutated one. */
#include <stdio.h>
#include <string.h>

#include "assay/formats.h"
#include "backend.h"
#include "mutate_internal.h"
#include "operands.h"
#include "run_case.h"

/* Schedules that a witness is tried under: a race need not show in every one. */
#define WITNESS_SEEDS 16

assay_status mutate_chip(const char *text, assay_chip *chip) {
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text ? text : "h200");
    const char *name = strtok_r(copy, " ", &rest);
    const assay_chip *known = name ? assay_chip_find(name) : NULL;
    if (!known) return assay_fail(ASSAY_ERR_FORMAT, "chip: no record of '%s'", text);
    *chip = *known;
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        unsigned value;
        if (sscanf(word, "max_grid_x=%u", &value) == 1)
            chip->max_grid_x = value;
        else if (sscanf(word, "max_block_threads=%u", &value) == 1)
            chip->max_block_threads = value;
        else
            return assay_fail(ASSAY_ERR_FORMAT, "chip: unknown limit '%s'", word);
    }
    return ASSAY_OK;
}

const assay_op *mutate_witness_op(const assay_mutant *mutant) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(mutant->witness, " "), mutant->witness);
    const assay_op *op = assay_op_find(name);
    if (!op) assay_fail(ASSAY_ERR_FORMAT, "witness: no op '%s'", name);
    return op;
}

/* Canonical bits of every output of two launches, and the instance that ran. */
static bool launches_differ(const assay_operands *o, const assay_launched *a,
                            const assay_launched *b) {
    if (strcmp(a->ran.kernel, b->ran.kernel) != 0) return true;
    for (size_t i = 0; i < o->count; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!a->out[i] || !b->out[i]) continue;
        if (memcmp(a->out[i], b->out[i], assay_tensor_bytes(t)) == 0) continue;
        const int64_t elements = assay_tensor_elements(t);
        for (int64_t e = 0; e < elements; e++)
            if (assay_format_canonical(t->dtype, assay_format_load(t->dtype, a->out[i], e)) !=
                assay_format_canonical(t->dtype, assay_format_load(t->dtype, b->out[i], e)))
                return true;
    }
    return false;
}

/* Both kernels on one case under one schedule. A launch that one of them refuses, or that ends in
 * an error, is a difference, too; trouble before or after the launch is our own. */
static assay_status compare(assay_device *device, const assay_case *c, const assay_operands *o,
                            void *kernels, uint64_t seed, bool *differs) {
    assay_launched ours, theirs;
    const char *our_check, *their_check;
    device->target.kernels = NULL;
    const assay_status our = assay_launch_once(device, c, o, 0xff, seed, &ours, &our_check);
    if (our && !our_check) return our;
    device->target.kernels = kernels;
    const assay_status their = assay_launch_once(device, c, o, 0xff, seed, &theirs, &their_check);
    *differs = our != their || (!our && launches_differ(o, &ours, &theirs));
    if (!their) assay_launched_free(&theirs);
    if (!our) assay_launched_free(&ours);
    return their && !their_check ? their : ASSAY_OK;
}

assay_status mutate_compare(assay_device *device, const assay_case *c, void *kernels, int seeds,
                            bool *differs) {
    assay_operands o;
    assay_status status = assay_operands_create(c, &o);
    if (status) return status;
    for (int seed = 0; seed < seeds && !status && !*differs; seed++)
        status = compare(device, c, &o, kernels, (uint64_t)seed, differs);
    assay_operands_free(&o);
    return status;
}

static assay_status compare_refusals(assay_device *device, const assay_op *op, void *kernels,
                                     bool *differs) {
    char ours[512], theirs[512];
    device->target.kernels = NULL;
    op->refusals(&device->target, ours, sizeof ours);
    device->target.kernels = kernels;
    op->refusals(&device->target, theirs, sizeof theirs);
    *differs = strcmp(ours, theirs) != 0;
    return ASSAY_OK;
}

/* A witness is a key, too: it must be written as the case would print itself. */
static assay_status parse_canonical(const char *witness, assay_case *c) {
    char line[ASSAY_CASE_LINE];
    const assay_status status = assay_case_parse(witness, c);
    if (status) return status;
    assay_case_format(c, line);
    return strcmp(line, witness) == 0
               ? ASSAY_OK
               : assay_fail(ASSAY_ERR_FORMAT, "witness: not canonical, expected \"%s\"", line);
}

assay_status mutate_admit(const assay_mutant *mutant, void *kernels, bool *differs) {
    assay_chip chip;
    assay_device device;
    assay_case c;
    const assay_op *op = mutate_witness_op(mutant);
    *differs = false;
    if (!op) return ASSAY_ERR_FORMAT;
    const bool refusals = strcmp(mutant->witness + strlen(op->name), " refusals") == 0;
    assay_status status = refusals ? ASSAY_OK : parse_canonical(mutant->witness, &c);
    if (!status) status = mutate_chip(mutant->chip, &chip);
    if (!status) status = assay_device_open_simt(&chip, &device);
    if (status) return status;
    status = refusals ? compare_refusals(&device, op, kernels, differs)
                      : mutate_compare(&device, &c, kernels, WITNESS_SEEDS, differs);
    device.close(&device);
    return status;
}
