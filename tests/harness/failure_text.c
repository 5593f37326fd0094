#include "failure_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "assay/formats.h"

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

static void put_index(writer *w, const assay_tensor *t, int64_t at) {
    int64_t index[ASSAY_MAX_RANK] = {0};
    for (int i = t->rank - 1; i >= 0; i--) {
        index[i] = at % t->shape[i];
        at /= t->shape[i];
    }
    put(w, "%s[", t->role);
    for (int i = 0; i < t->rank; i++) {
        const char *name = t->rank == 2 ? (i == 0 ? "row " : "column ") : "";
        put(w, "%s%s%" PRId64, i ? ", " : "", name, index[i]);
    }
    put(w, "]");
}

/* A stored value: nine digits identify every f32, and so all narrower formats. */
static void put_stored(writer *w, assay_dtype dtype, uint32_t bits) {
    put(w, "%.9g (0x%0*" PRIx32 ")", assay_format_decode(dtype, bits),
        2 * (int)assay_dtype_size(dtype), bits);
}

static void put_worst(writer *w, const assay_tensor *t, const assay_tally *tally) {
    assay_dtype dtype = t->dtype;
    const assay_bound *b = &tally->worst;
    uint32_t nearest = assay_format_encode(dtype, b->y);
    double got = assay_format_decode(dtype, tally->worst_got);

    put(w, "\n  worst  ");
    put_index(w, t, tally->worst_at);
    put(w, "\n    got      ");
    put_stored(w, dtype, tally->worst_got);
    put(w, "\n    exact    %.17g, nearest ", b->y);
    put_stored(w, dtype, nearest);
    if (isnan(b->y)) {
        put(w, "\n    accepted NaN only");
        return;
    }
    uint32_t low = assay_format_encode(dtype, b->lo), high = assay_format_encode(dtype, b->hi);
    put(w, "\n    accepted ");
    put_stored(w, dtype, low);
    if (assay_format_ulps(dtype, low, high)) {
        put(w, " to ");
        put_stored(w, dtype, high);
    }
    if (isnan(got)) {
        put(w, "\n    a NaN where a number is due");
        return;
    }
    double room = got > b->y ? b->hi - b->y : b->y - b->lo;
    put(w, "\n    error    %.3g, bound %.3g, error/bound %.3g, %" PRId64 " ulp", tally->worst_error,
        room, tally->worst_ratio, assay_format_ulps(dtype, tally->worst_got, nearest));
}

void assay_failure_text(const assay_case *c, const assay_tensor *tensor, const assay_tally *tally,
                        const unsigned char *failures, char *out, size_t size) {
    (void)c; /* the report prints the line */
    if (size == 0) return;
    out[0] = '\0';
    writer w = {out, size, 0};
    double share = tally->compared ? 100.0 * (double)tally->failed / (double)tally->compared : 0;
    put(&w, "%s: %" PRId64 " of %" PRId64 " elements out of bounds (%.3g %%)", tensor->role,
        tally->failed, tally->compared, share);
    if (tally->worst_at >= 0) put_worst(&w, tensor, tally);
    if (!failures || tensor->rank < 1) return;

    int64_t columns = tensor->shape[tensor->rank - 1], rows = 1;
    for (int i = 0; i + 1 < tensor->rank; i++) rows *= tensor->shape[i];
    char where[256];
    assay_pattern(failures, rows, columns, where, sizeof where);
    put(&w, "\n  where  %s", where);
}
