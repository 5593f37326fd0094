#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "failure_text.h"
#include "npy.h"
#include "operands.h"
#include "trust.h"

/* Above this many outputs where the failures lie is not kept (a byte for each). */
#define MAP_LIMIT (INT64_C(1) << 31)

/* Units that are searched for faults the inputs cannot show, and how many at a time. */
#define BLIND_UNITS 4096
#define BLIND_STEP 8

typedef struct judged {
    const assay_judge_request *request;
    assay_npy files[ASSAY_MAX_TENSORS];
    void *narrowed[ASSAY_MAX_TENSORS]; /* the f32 copy of an f64 file */
    assay_tensor given[ASSAY_MAX_TENSORS];

    assay_case c;
    assay_operands operands; /* in the op's order; its dense pointers are the files' */
} judged;

static const void *data_of(const judged *j, size_t i) {
    return j->narrowed[i] ? j->narrowed[i] : j->files[i].data;
}

/* f64 is taken when nothing is lost: then the file says exactly what an f32 file would. */
static assay_status narrow(judged *j, size_t i) {
    const assay_npy *file = &j->files[i];
    const double *from = file->data;
    float *to = malloc((size_t)(file->elements ? file->elements : 1) * sizeof *to);
    j->narrowed[i] = to;
    if (!to) return assay_fail(ASSAY_ERR_MEMORY, "%s: data: no memory for an f32 copy", file->path);
    for (int64_t e = 0; e < file->elements; e++) {
        to[e] = fabs(from[e]) <= 0x1.fffffep127 || !isfinite(from[e]) ? (float)from[e] : NAN;
        if ((double)to[e] != from[e] && !isnan(from[e]))
            return assay_fail(ASSAY_ERR_ARGUMENT,
                              "%s: data: found the f64 %.17g in element %lld, expected values that "
                              "f32 holds exactly: store the result in the type its kernel writes",
                              file->path, from[e], (long long)e);
    }
    return ASSAY_OK;
}

static assay_status dtype_of(judged *j, size_t i, assay_dtype *dtype) {
    const assay_npy *file = &j->files[i];
    const bool bf16 = j->request->tensors[i].bf16;
    switch (file->type) {
    case ASSAY_NPY_F16: *dtype = ASSAY_F16; break;
    case ASSAY_NPY_F32: *dtype = ASSAY_F32; break;
    case ASSAY_NPY_F64: *dtype = ASSAY_F32; break;
    default: *dtype = ASSAY_BF16; break;
    }
    if (bf16 && *dtype != ASSAY_BF16)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: descr: found %s, expected u2 or V2 with ':bf16'",
                          file->path, assay_npy_type_name(file->type));
    if (!bf16 && file->type == ASSAY_NPY_U16)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "%s: descr: found 16-bit integers, expected a floating-point type; if "
                          "they are bf16 write %s=%s:bf16",
                          file->path, j->request->tensors[i].role, file->path);
    return file->type == ASSAY_NPY_F64 ? narrow(j, i) : ASSAY_OK;
}

/* Loads file i into given[i]. */
static assay_status load(judged *j, size_t i) {
    const assay_judge_tensor *t = &j->request->tensors[i];
    assay_tensor *g = &j->given[i];
    assay_status status = assay_npy_load(t->path, &j->files[i]);
    *g = (assay_tensor){.role = t->role, .output = t->output, .present = true, .alias = -1};
    if (!status) status = dtype_of(j, i, &g->dtype);
    if (status) return status;
    g->rank = j->files[i].rank;
    if (g->rank > ASSAY_MAX_RANK)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: shape: found %d dimensions, expected at most %d",
                          t->path, g->rank, ASSAY_MAX_RANK);
    int64_t step = 1;
    for (int k = g->rank - 1; k >= 0; k--) {
        g->shape[k] = j->files[i].shape[k];
        g->stride[k] = step;
        step *= g->shape[k];
    }
    return ASSAY_OK;
}

static const assay_tensor *by_role(const assay_tensor *tensors, size_t count, const char *role) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(tensors[i].role, role) == 0) return &tensors[i];
    return NULL;
}

/* Every role exists, once, and is an input or an output as it was called. */
static assay_status check_roles(const assay_judge_request *r) {
    const assay_case c = assay_case_default(r->op);
    assay_tensor known[ASSAY_MAX_TENSORS];
    size_t count;
    assay_status status = r->op->describe(&c, known, &count);
    if (status) return status;
    char roles[160];
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof roles; i++)
        used += (size_t)snprintf(roles + used, sizeof roles - used, "%s%s%s", i ? ", " : "",
                                 known[i].role, known[i].output ? " (output)" : "");
    for (size_t i = 0; i < r->count; i++) {
        const assay_judge_tensor *t = &r->tensors[i];
        const assay_tensor *k = by_role(known, count, t->role);
        if (!k)
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s has no tensor '%s'; it has %s", r->op->name,
                              t->role, roles);
        if (k->output != t->output)
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: '%s' is an %s: name it with %s", r->op->name,
                              t->role, k->output ? "output" : "input",
                              k->output ? "--out" : "--in");
        for (size_t other = 0; other < i; other++)
            if (strcmp(r->tensors[other].role, t->role) == 0)
                return assay_fail(ASSAY_ERR_ARGUMENT, "'%s' is given twice: %s and %s", t->role,
                                  r->tensors[other].path, t->path);
    }
    return ASSAY_OK;
}

/* The case that tensors and attributes describe together. */
static assay_status settle_case(judged *j) {
    const assay_judge_request *r = j->request;
    j->c = assay_case_default(r->op);
    assay_status status = ASSAY_OK;
    if (r->attributes) status = assay_case_override(&j->c, r->attributes);
    if (!status) status = r->op->from_shapes(&j->c, j->given, r->count);
    if (status || !r->attributes) return status;

    assay_case asked = j->c;
    char by_shapes[ASSAY_CASE_LINE], by_attributes[ASSAY_CASE_LINE];
    status = assay_case_override(&asked, r->attributes);
    assay_case_format(&j->c, by_shapes);
    assay_case_format(&asked, by_attributes);
    if (!status && strcmp(by_shapes, by_attributes) != 0)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "the tensors contradict the attributes: by shape and type the case is "
                          "'%s', with the attributes '%s'",
                          by_shapes, by_attributes);
    return status;
}

/* Puts the files in the op's order. */
static assay_status match(judged *j) {
    const assay_judge_request *r = j->request;
    assay_operands *o = &j->operands;
    assay_status status = r->op->describe(&j->c, o->tensors, &o->count);
    for (size_t k = 0; k < o->count && !status; k++) {
        const assay_tensor *t = &o->tensors[k];
        const assay_tensor *g = by_role(j->given, r->count, t->role);
        if (!g && t->present)
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s needs '%s': give it with %s %s=FILE",
                              r->op->name, t->role, t->output ? "--out" : "--in", t->role);
        if (!g) continue;
        if (!t->present || g->dtype != t->dtype ||
            assay_tensor_elements(g) != assay_tensor_elements(t))
            return assay_fail(ASSAY_ERR_ARGUMENT,
                              "%s: found %" PRId64 " elements of %s, expected %" PRId64 " of %s",
                              j->files[g - j->given].path, assay_tensor_elements(g),
                              assay_dtype_name(g->dtype), t->present ? assay_tensor_elements(t) : 0,
                              assay_dtype_name(t->dtype));
        /* Operands hold what may be written elsewhere; nothing here writes. */
        o->dense[k] = (void *)(uintptr_t)data_of(j, (size_t)(g - j->given));
    }
    return status;
}

/* Bounds and comparison of output k. */
static assay_status compare(judged *j, size_t k, assay_judgement *out) {
    const assay_tensor *t = &j->operands.tensors[k];
    assay_result *r = &out->result;
    const int64_t elements = assay_tensor_elements(t), size = assay_tensor_unit_size(t);
    if (elements <= 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "'%s' holds no elements: there is nothing to judge",
                          t->role);
    assay_bound *bounds = malloc((size_t)size * sizeof *bounds);
    unsigned char *failures = elements <= MAP_LIMIT ? calloc((size_t)elements, 1) : NULL;
    assay_status status = ASSAY_OK;
    if (!bounds || (!failures && elements <= MAP_LIMIT))
        status = assay_fail(ASSAY_ERR_MEMORY, "no memory for the bounds of '%s'", t->role);
    assay_tally tally;
    assay_tally_start(&tally);
    for (int64_t unit = 0; unit * size < elements && !status; unit++) {
        const int64_t first = unit * size;
        status = j->c.op->oracle(&j->c, j->operands.tensors, (const void *const *)j->operands.dense,
                                 out->contract, k, unit, bounds);
        if (!status)
            assay_tally_add(&tally, t->dtype,
                            (const char *)j->operands.dense[k] +
                                (size_t)first * assay_dtype_size(t->dtype),
                            first, size, bounds, failures ? failures + first : NULL);
    }
    if (!status && tally.failed > 0) {
        r->word = ASSAY_FAILED;
        assay_failure_text(&j->c, t, &tally, failures, r->message, sizeof r->message);
    } else if (!status && 2 * (tally.ill + tally.indeterminate) > tally.compared) {
        r->word = ASSAY_ILL_CONDITIONED;
        snprintf(r->message, sizeof r->message,
                 "%s: of %" PRId64 " elements %" PRId64 " have intervals wider than a quarter of "
                 "the value and %" PRId64 " accept anything: contract '%s' says nothing here",
                 t->role, tally.compared, tally.ill, tally.indeterminate, out->contract);
    }
    r->tally = tally;
    r->slack_known = t->dtype == ASSAY_F32;
    r->outputs += tally.compared;
    out->output = t->role;
    free(bounds);
    free(failures);
    return status;
}

/* Looks for the faults that these inputs show, a few units at a time, until all are shown. */
static assay_status find_blind(const judged *j, assay_judgement *out) {
    const assay_operands *whole = &j->operands;
    assay_trust *trust = assay_trust_create();
    if (!trust) return assay_fail(ASSAY_ERR_MEMORY, "no memory for the search of blind spots");
    int64_t units = 0;
    for (size_t k = 0; k < whole->count; k++)
        if (whole->tensors[k].output) units = assay_tensor_units(&whole->tensors[k]);
    assay_status status = ASSAY_OK;
    bool blind = true;
    for (int64_t unit = 0; blind && unit < units && unit < BLIND_UNITS && !status;
         unit += BLIND_STEP) {
        assay_operands part = *whole;
        for (size_t k = 0; k < part.count; k++) {
            assay_tensor *t = &part.tensors[k];
            if (!t->batched || !part.dense[k]) continue;
            part.dense[k] = (char *)part.dense[k] +
                            (size_t)(unit * assay_tensor_unit_size(t)) * assay_dtype_size(t->dtype);
            t->shape[0] = units - unit < BLIND_STEP ? units - unit : BLIND_STEP;
        }
        status = assay_trust_examine(trust, &j->c, &part, out->contract);
        blind = assay_trust_missing(trust, &j->c, out->blind, sizeof out->blind);
    }
    assay_trust_free(trust);
    return status;
}

/* True when the comma-separated list has the word; blanks around words are free. */
static bool listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    while (*list) {
        list += strspn(list, ", ");
        const size_t next = strcspn(list, ", ");
        if (next == length && strncmp(list, word, length) == 0) return true;
        list += next;
    }
    return false;
}

/* A name in `accept` that the op does not have would silently accept nothing. */
static assay_status check_accept(const assay_judge_request *r) {
    if (!r->accept || strcmp(r->accept, "all") == 0) return ASSAY_OK;
    char names[512] = "";
    size_t used = 0;
    for (size_t a = 0; a < r->op->ablation_count && used < sizeof names; a++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", a ? ", " : "",
                                 r->op->ablation_name(a));
    for (const char *at = r->accept + strspn(r->accept, ", "); *at; at += strspn(at, ", ")) {
        char word[64];
        const size_t length = strcspn(at, ", ");
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), at);
        if (!listed(names, word))
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s has no fault '%s' to accept; it has all, %s",
                              r->op->name, word, names);
        at += length;
    }
    return ASSAY_OK;
}

/* True when every blind spot was accepted. */
static bool accepted(const assay_judge_request *r, const char *blind) {
    if (r->accept && strcmp(r->accept, "all") == 0) return true;
    for (size_t a = 0; a < r->op->ablation_count; a++)
        if (listed(blind, r->op->ablation_name(a)) &&
            !(r->accept && listed(r->accept, r->op->ablation_name(a))))
            return false;
    return true;
}

static assay_status judge(judged *j, assay_judgement *out) {
    const assay_judge_request *r = j->request;
    if (!r->op->from_shapes)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "%s cannot be judged from files", r->op->name);
    if (r->count > ASSAY_MAX_TENSORS)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%zu tensors given, at most %d can be", r->count,
                          ASSAY_MAX_TENSORS);
    assay_status status = check_roles(r);
    if (!status) status = check_accept(r);
    for (size_t i = 0; i < r->count && !status; i++) status = load(j, i);
    if (!status) status = settle_case(j);
    if (!status) status = match(j);
    if (status) return status;

    out->result.c = j->c;
    for (size_t k = 0; k < j->operands.count && out->result.word == ASSAY_PASSED && !status; k++)
        if (j->operands.tensors[k].output && j->operands.tensors[k].present)
            status = compare(j, k, out);
    if (status || out->result.word != ASSAY_PASSED) return status;
    status = find_blind(j, out);
    if (!status && !accepted(r, out->blind)) {
        out->result.word = ASSAY_MISTRUSTED;
        snprintf(out->result.message, sizeof out->result.message,
                 "every output is right, but these inputs cannot show these faults: %s",
                 out->blind);
    }
    return status;
}

assay_status assay_judge(const assay_judge_request *request, assay_judgement *out) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    *out = (assay_judgement){.output = ""};
    out->contract = request->contract ? request->contract : request->op->judge_contract;
    out->result.c = assay_case_default(request->op);
    out->result.word = ASSAY_PASSED;
    out->result.backend = "files";
    out->result.check = "bounds";

    judged *j = calloc(1, sizeof *j);
    if (!j) return assay_fail(ASSAY_ERR_MEMORY, "no memory to judge in");
    j->request = request;
    assay_status status = judge(j, out);
    for (size_t i = 0; i < ASSAY_MAX_TENSORS; i++) {
        assay_npy_free(&j->files[i]);
        free(j->narrowed[i]);
    }
    free(j);
    clock_gettime(CLOCK_MONOTONIC, &end);
    out->result.seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return status;
}
