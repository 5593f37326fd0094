/* An explanation as text. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "assay/formats.h"
#include "compare.h"
#include "explain.h"

#define INDENT "            "
#define WIDTH 100

typedef struct writer {
    char *text;
    size_t size, used;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    if (w->used + 1 >= w->size) return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
}

static void put_lines(writer *w, const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        put(w, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Words of a text, in lines of at most WIDTH characters that begin at the indent. */
static void put_wrapped(writer *w, const char *text) {
    size_t column = sizeof INDENT - 1;
    put(w, INDENT);
    for (const char *before = ""; *text;) {
        const size_t length = strcspn(text, " ");
        if (*before && column + 1 + length > WIDTH) {
            before = "\n" INDENT;
            column = sizeof INDENT - 1;
        }
        put(w, "%s%.*s", before, (int)length, text);
        column += length + (*before == ' ');
        before = " ";
        text += length + (text[length] == ' ');
    }
    put(w, "\n");
}

static void put_step(writer *w, const assay_explain_step *s, double share) {
    char why[400];
    writer y = {why, sizeof why, 0};
    const assay_oracle_step *e = &s->ends;
    put(w, "  %-9s %.17g\n" INDENT "in [%.17g, %.17g]", s->name, e->exact, e->lo, e->hi);
    if (isfinite(e->exact) && e->exact != 0 && isfinite(e->lo) && isfinite(e->hi))
        put(w, ", relative %+.3g to %+.3g", (e->lo - e->exact) / e->exact,
            (e->hi - e->exact) / e->exact);
    put(w, "\n");
    put(&y, "%s", s->why);
    if (s->relative > 0) put(&y, "; relative %.3g", s->relative);
    if (s->absolute > 0) put(&y, "; absolute %.3g", s->absolute);
    if (share > 0) put(&y, "; %.1f %% of the width", 100 * share);
    put_wrapped(w, why);
}

static void put_stored(writer *w, assay_dtype dtype, uint32_t bits) {
    put(w, "0x%0*" PRIx32 " (%.9g)", 2 * (int)assay_dtype_size(dtype), bits,
        assay_format_decode(dtype, bits));
}

static void put_accepted(writer *w, assay_dtype dtype, const assay_bound *b) {
    const uint32_t low = assay_format_encode(dtype, b->lo),
                   high = assay_format_encode(dtype, b->hi);
    const int64_t more = assay_format_ulps(dtype, low, high);
    put(w, "accepted    ");
    if (isnan(b->y)) {
        put(w, b->lo < b->hi ? "anything: the contract allows a NaN and a number\n" : "NaN only\n");
        return;
    }
    put(w, "%s: round(lo) = ", assay_dtype_name(dtype));
    put_stored(w, dtype, low);
    put(w, more ? ", round(hi) = " : " = round(hi)");
    if (more) put_stored(w, dtype, high);
    put(w, more ? ": %" PRId64 " values\n" : ": one value\n", more + 1);
}

static void put_got(writer *w, const assay_explained *e) {
    const assay_dtype dtype = e->tensor.dtype;
    const assay_bound *b = &e->explanation.bound;
    if (!e->ran) {
        put(w, "got         nothing: %s\n", e->trouble);
        return;
    }
    const double got = assay_format_decode(dtype, e->got), slack = assay_slack(dtype, e->got, b);
    put(w, "got         ");
    put_stored(w, dtype, e->got);
    put(w, " from %s: %s\n", e->kernel,
        assay_accepts(dtype, e->got, b) ? "right" : "OUT OF BOUNDS");
    if (isnan(got) || isnan(b->y)) return;
    put(w, "error       %.3g\n", fabs(got - b->y));
    if (isfinite(slack))
        put(w, "slack       %.3g: error over bound%s\n", slack,
            dtype == ASSAY_F32 ? "" : ", the rounding to storage included in the error");
}

void assay_explain_text(const assay_explained *e, char *text, size_t size) {
    char line[ASSAY_CASE_LINE];
    double shares[ASSAY_EXPLAIN_STEPS];
    writer w = {text, size, 0};
    const assay_explanation *x = &e->explanation;
    text[0] = '\0';
    assay_case_format(&e->c, line);
    put(&w, "%s\n%s[row %" PRId64 ", column %" PRId64 "]: %s\n\n", line, e->tensor.role, e->row,
        e->column, e->chosen);
    put(&w, "contract    %s\n", e->contract ? e->contract : "declared by the kernel");
    put_lines(&w, x->contract);
    put(&w, "\nsteps       in magnitudes; u = 2^-24, eta = 2^-150 (docs/bounds.md)\n");
    if (!assay_explain_shares(x, shares))
        for (size_t i = 0; i < x->count; i++) shares[i] = (double)NAN;
    for (size_t i = 0; i < x->count; i++) put_step(&w, &x->steps[i], shares[i]);

    put(&w, "\nbound       y = %.17g\n" INDENT "in [%.17g, %.17g]\n", x->bound.y, x->bound.lo,
        x->bound.hi);
    put_accepted(&w, e->tensor.dtype, &x->bound);
    put_got(&w, e);
}
