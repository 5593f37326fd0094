/* Mutated kernels in the cases that the unit lane runs: who finds them first, and whether any case
 * gives other bits at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "mutate_internal.h"
#include "runner.h"

/* What `ctest -L unit` runs of the grid (unit.kernels and unit.kernels_wave64 in
 * tests/unit/check.cmake): waves of 64 lanes have faults of their own. */
static const struct {
    const char *chip;
    assay_level level;
    uint64_t seed;
} lanes[] = {{"h200", ASSAY_CI, 0}, {"mi300x", ASSAY_SMOKE, 1}};
#define LANES (sizeof lanes / sizeof lanes[0])

/* ---- The cases of a lane, by cost ----------------------------------------------------------- */

typedef struct priced {
    assay_case c;
    int64_t cost;
    size_t place; /* keeps the grid's order among equals */
} priced;

typedef struct price_list {
    priced *entries;
    size_t count, capacity;
} price_list;

static bool add_case(const assay_case *c, void *context) {
    price_list *list = context;
    assay_tensor tensors[ASSAY_MAX_TENSORS];
    size_t count;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        priced *grown = realloc(list->entries, list->capacity * sizeof *grown);
        if (!grown) return false;
        list->entries = grown;
    }
    priced *p = &list->entries[list->count];
    *p = (priced){.c = *c, .place = list->count};
    if (c->op->describe(c, tensors, &count) == ASSAY_OK)
        for (size_t i = 0; i < count; i++) p->cost += assay_tensor_elements(&tensors[i]);
    list->count++;
    return true;
}

static int by_cost(const void *a, const void *b) {
    const priced *p = a, *q = b;
    if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static price_list lane_cases(const assay_op *op, assay_level level) {
    price_list list = {.entries = NULL};
    op->grid(level, add_case, &list);
    if (list.count) qsort(list.entries, list.count, sizeof *list.entries, by_cost);
    return list;
}

/* ---- Killing -------------------------------------------------------------------------------- */

typedef struct verdicts {
    bool killed, trouble; /* a result that kills; a HARNESS_ERROR */
    assay_result first;   /* the first of the two */
} verdicts;

/* A kernel that breaks its contract, or declines a valid case, turns the lane red. */
static void note(const assay_result *r, void *context) {
    verdicts *v = context;
    const bool kills = r->word == ASSAY_FAILED || r->word == ASSAY_REFUSED;
    if (v->killed || (!kills && r->word != ASSAY_HARNESS_ERROR)) return;
    if (kills || !v->trouble) v->first = *r;
    v->killed = kills;
    v->trouble = true;
}

/* Runs cases first .. first + count - 1. */
static assay_status run_part(size_t lane, void *kernels, const assay_case *cases, size_t count,
                             verdicts *v) {
    assay_totals totals;
    const assay_run_options options = {.backend = ASSAY_SIMT,
                                       .chip = assay_chip_find(lanes[lane].chip),
                                       .seed = lanes[lane].seed,
                                       .jobs = 1,
                                       .kernels = kernels,
                                       .on_result = note,
                                       .context = v};
    return assay_run_cases(&options, cases, count, &totals);
}

static void describe_kill(const verdicts *v, const char *chip, assay_mutant_row *row) {
    const assay_result *r = &v->first;
    char line[ASSAY_CASE_LINE];
    assay_case_format(&r->c, line);
    if (strcmp(r->check, "refusals") == 0)
        snprintf(line, sizeof line, "%s refusals", r->c.op->name);
    const bool usual = strcmp(chip, "h200") == 0;
    snprintf(row->line, sizeof row->line, "%.470s%s%s", line, usual ? "" : " --chip ",
             usual ? "" : chip);
    snprintf(row->killed_by, sizeof row->killed_by, "%s",
             r->word == ASSAY_REFUSED ? "refused" : r->check);
    snprintf(row->message, sizeof row->message, "%.*s", (int)strcspn(r->message, "\n"), r->message);
}

/* The same case must pass on the built-in kernel, else it was red before. */
static assay_status red_before(size_t lane, const verdicts *v) {
    verdicts before = {.killed = false};
    char line[ASSAY_CASE_LINE];
    assay_status status = run_part(lane, NULL, &v->first.c, 1, &before);
    if (status || !before.trouble) return status;
    assay_case_format(&v->first.c, line);
    return assay_fail(ASSAY_ERR_INTERNAL, "%s fails before the mutant is planted", line);
}

static assay_status run_lane(const assay_op *op, void *kernels, size_t lane, verdicts *v) {
    price_list list = lane_cases(op, lanes[lane].level);
    assay_case *cases = calloc(list.count + 1, sizeof *cases);
    assay_status status = cases ? ASSAY_OK : assay_fail(ASSAY_ERR_MEMORY, "no memory for cases");
    for (size_t i = 0; cases && i < list.count; i++) cases[i] = list.entries[i].c;
    /* In growing parts: most mutants fall early, and a part costs an executor. */
    for (size_t first = 0, part = 16; first < list.count && !status && !v->killed; part *= 2) {
        const size_t count = list.count - first < part ? list.count - first : part;
        status = run_part(lane, kernels, cases + first, count, v);
        first += count;
    }
    if (!status && v->killed) status = red_before(lane, v);
    free(cases);
    free(list.entries);
    return status;
}

assay_status mutate_lanes(const assay_op *op, void *kernels, assay_mutant_row *row, bool *killed) {
    verdicts v = {.killed = false};
    assay_status status = ASSAY_OK;
    size_t lane = 0;
    for (; lane < LANES && !status && !v.killed; lane++) status = run_lane(op, kernels, lane, &v);
    *killed = v.killed;
    if (!status && v.killed) describe_kill(&v, lanes[lane - 1].chip, row);
    if (!status && v.trouble && !v.killed)
        status = assay_fail(ASSAY_ERR_INTERNAL, "a harness error, no verdict: %.*s",
                            (int)strcspn(v.first.message, "\n"), v.first.message);
    return status;
}

assay_status mutate_replay(const assay_op *op, void *kernels, bool *differs) {
    assay_status status = ASSAY_OK;
    *differs = false;
    for (size_t lane = 0; lane < LANES && !status && !*differs; lane++) {
        assay_device device;
        status = assay_device_open_simt(assay_chip_find(lanes[lane].chip), &device);
        if (status) break;
        price_list list = lane_cases(op, lanes[lane].level);
        for (size_t i = 0; i < list.count && !status && !*differs; i++)
            status = mutate_compare(&device, &list.entries[i].c, kernels, 1, differs);
        free(list.entries);
        device.close(&device);
    }
    return status;
}
