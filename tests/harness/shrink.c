#include "shrink.h"

#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "shrink_internal.h"

static void run(shrinker *s, const assay_case *c, const assay_operands *o) {
    assay_session_run(&s->session, c, o, &s->last);
    s->out->runs++;
    s->out->launches += s->last.launches;
}

bool shrink_fails(shrinker *s, const assay_case *c, const assay_operands *o) {
    assay_operands generated;
    char line[ASSAY_CASE_LINE];
    s->out->exhausted = s->out->launches >= s->budget;
    if (s->out->exhausted) return false;
    if (s->options->on_progress) {
        assay_case_format(c, line);
        s->options->on_progress(s->out->launches, s->budget, line, s->options->context);
    }
    if (o) {
        run(s, c, o);
    } else {
        if (assay_operands_create(c, &generated)) return false; /* attributes contradict */
        run(s, c, &generated);
        assay_operands_free(&generated);
    }
    return s->last.word == s->word && strcmp(s->last.check, s->check) == 0;
}

/* The kind of data says how inputs were made, and some kinds promise exact results: inputs that are
 * edited are judged as the default kind. */
static assay_case with_default_data(const assay_case *c) {
    assay_case other = *c;
    for (size_t i = 0; i < c->op->attr_count; i++)
        if (strcmp(c->op->attrs[i].key, "data") == 0) other.value[i].i = c->op->attrs[i].fallback;
    return other;
}

static void count_values(assay_shrunk *out) {
    const assay_operands *o = &out->operands;
    for (size_t i = 0; i < o->count; i++) {
        if (!o->dense[i]) continue;
        const int64_t elements = assay_tensor_elements(&o->tensors[i]);
        out->elements += elements;
        for (int64_t e = 0; e < elements; e++)
            out->nonzero +=
                assay_format_decode(o->tensors[i].dtype,
                                    assay_format_load(o->tensors[i].dtype, o->dense[i], e)) != 0;
    }
}

static assay_status empty_inputs(shrinker *s) {
    assay_shrunk *out = s->out;
    const assay_case judged = with_default_data(&out->result.c);
    assay_status status = assay_operands_create(&out->result.c, &out->operands);
    if (status) return status;
    out->emptied = shrink_fails(s, &judged, &out->operands);
    if (!out->emptied) return ASSAY_OK;
    out->given = s->last;
    shrink_values(s);
    count_values(out);
    return ASSAY_OK;
}

assay_status assay_shrink(const assay_shrink_options *options, const assay_case *c,
                          assay_shrunk *out) {
    memset(out, 0, sizeof *out);
    shrinker *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(ASSAY_ERR_MEMORY, "no memory to shrink in");
    *s = (shrinker){.options = options,
                    .budget = options->budget > 0 ? options->budget : ASSAY_SHRINK_BUDGET,
                    .out = out};
    assay_operands o;
    assay_status status = assay_session_open(options->run, &s->session);
    if (status) {
        free(s);
        return status;
    }
    status = assay_operands_create(c, &o);
    if (!status) {
        run(s, c, &o);
        assay_operands_free(&o);
        out->first = out->result = s->last;
        s->word = s->last.word;
        s->check = s->last.check;
        if (s->word != ASSAY_PASSED && s->word != ASSAY_SKIPPED && s->word != ASSAY_HARNESS_ERROR) {
            shrink_attributes(s);
            status = empty_inputs(s);
        }
    }
    assay_session_close(&s->session);
    free(s);
    return status;
}

void assay_shrunk_free(assay_shrunk *s) { assay_operands_free(&s->operands); }
