/* Where failures lie, in words.
 *
 * A kernel's fault has a shape: a lost tail is a run of last columns, a broken lane a stride of
 * columns, a wrong tile a rectangle. The rows and the columns that hold a failure are described
 * each as a set; the text is the most specific of the statements that are true of both.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"

#define FEW 16   /* so many first or last rows or columns are always worth naming */
#define LISTED 4 /* so many single rows or columns are named one by one */

typedef enum shape { ALL, NONE, RUN, STRIDE, LIST } shape;

/* The rows (or columns) that hold a failure, among `size`. */
typedef struct lines {
    const char *name; /* "row" */
    int64_t size, count, first, last;
    int64_t step; /* largest distance that divides every gap; 0: fewer than two lines */
    int64_t list[LISTED];
    shape shape;
} lines;

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static lines gather(const char *name, const unsigned char *hit, int64_t size) {
    lines l = {.name = name, .size = size, .first = -1, .last = -1};
    for (int64_t i = 0; i < size; i++) {
        if (!hit[i]) continue;
        if (l.count > 0) l.step = gcd(i - l.last, l.step);
        if (l.count < LISTED) l.list[l.count] = i;
        if (l.first < 0) l.first = i;
        l.last = i;
        l.count++;
    }
    return l;
}

/* Reaches from end to end, so that the next step on either side would leave the tensor. */
static bool spans(const lines *l) { return l->first < l->step && l->last + l->step >= l->size; }

/* A stride with few lines left out: an element of a faulty lane may be right by chance. */
static int64_t stride_length(const lines *l) { return (l->last - l->first) / l->step + 1; }
static bool well_filled(const lines *l) { return 4 * l->count >= 3 * stride_length(l); }

/* Random failures also leave some rows and columns out. A long run says something only when it is
 * well filled, and single lines only when they hold several failures each. */
static shape shape_of(const lines *l, int64_t failed, int64_t others) {
    if (l->count == l->size) return ALL;
    if (l->last - l->first + 1 == l->count) {
        bool brief = l->count <= l->size / 4 || (l->count <= FEW && l->count <= l->size / 2);
        return brief || failed / others * 2 >= l->count ? RUN : NONE;
    }
    if (l->count >= 3 && l->step > 1 && spans(l) && well_filled(l)) return STRIDE;
    if (l->count <= LISTED && failed >= 4 * l->count) return LIST;
    return NONE;
}

typedef struct writer {
    char *text;
    size_t size, used;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
    if (w->used >= w->size) w->used = w->size - 1;
}

static void put_lines(writer *w, const lines *l, const char *prefix) {
    static const char *const ordinals[] = {"", "", "second", "third", "fourth"};
    const char *n = l->name;
    if (l->shape == STRIDE) {
        if (l->step <= 4)
            put(w, "every %s %s", ordinals[l->step], n);
        else
            put(w, "every %" PRId64 "th %s", l->step, n);
        put(w, ", from %s %" PRId64, n, l->first);
    } else if (l->shape == LIST) {
        put(w, "%ss", n);
        for (int64_t i = 0; i < l->count; i++)
            put(w, "%s %" PRId64, i == 0 ? "" : i + 1 == l->count ? " and" : ",", l->list[i]);
        put(w, " only");
    } else if (l->count == 1) {
        put(w, "%s %" PRId64 " only", n, l->first);
    } else if (l->last + 1 == l->size && l->count > FEW && l->count > l->size / 4) {
        put(w, "only %ss from %" PRId64 " on", n, l->first);
    } else if (l->first == 0) {
        put(w, "%sin the first %" PRId64 " %ss", prefix, l->count, n);
    } else if (l->last + 1 == l->size) {
        put(w, "%sin the last %" PRId64 " %ss", prefix, l->count, n);
    } else {
        put(w, "%ss %" PRId64 "..%" PRId64 " only", n, l->first, l->last);
    }
}

static void put_share(writer *w, int64_t failed, int64_t elements) {
    if (failed < elements) put(w, " (%" PRId64 " of %" PRId64 " elements)", failed, elements);
}

/* Both sets are told. One row: its columns. Two runs: a tile. Else one after the other. */
static void put_both(writer *w, const lines *rows, const lines *columns) {
    if (rows->shape == RUN && columns->shape == RUN && rows->count > 1 && columns->count > 1) {
        put(w, "one %" PRId64 "x%" PRId64 " tile at row %" PRId64 ", column %" PRId64, rows->count,
            columns->count, rows->first, columns->first);
        return;
    }
    put_lines(w, rows, "all ");
    put(w, "; ");
    put_lines(w, columns, "");
}

static void put_scattered(writer *w, const unsigned char *failures, int64_t failed, int64_t rows,
                          int64_t columns) {
    put(w, "scattered (%" PRId64 " of %" PRId64 " elements)", failed, rows * columns);
    if (failed > LISTED) return;
    const char *before = ":";
    for (int64_t i = 0; i < rows * columns; i++) {
        if (!failures[i]) continue;
        put(w, "%s row %" PRId64 " column %" PRId64, before, i / columns, i % columns);
        before = ",";
    }
}

/* Lines that the text speaks of. */
static int64_t told(const lines *l, bool tell) {
    if (!tell) return l->size;
    return l->shape == STRIDE ? stride_length(l) : l->count;
}

static void describe(writer *w, const unsigned char *failures, int64_t failed, lines *r, lines *c) {
    if (failed == 0) {
        put(w, "nowhere");
        return;
    }
    if (failed == 1) {
        put(w, "one element (row %" PRId64 ", column %" PRId64 ")", r->first, c->first);
        return;
    }
    if (failed == r->size * c->size) {
        put(w, "the whole tensor");
        return;
    }
    r->shape = shape_of(r, failed, c->count);
    c->shape = shape_of(c, failed, r->count);
    bool tell_rows = r->shape != ALL && r->shape != NONE;
    bool tell_columns = c->shape != ALL && c->shape != NONE;
    if (tell_rows && tell_columns)
        put_both(w, r, c);
    else if (tell_rows)
        put_lines(w, r, "all ");
    else if (tell_columns)
        put_lines(w, c, "all ");
    else {
        put_scattered(w, failures, failed, r->size, c->size);
        return;
    }
    put_share(w, failed, told(r, tell_rows) * told(c, tell_columns));
}

void assay_pattern(const unsigned char *failures, int64_t rows, int64_t columns, char *text,
                   size_t size) {
    if (size == 0) return;
    text[0] = '\0';
    writer w = {text, size, 0};
    unsigned char *hit = rows > 0 && columns > 0 ? calloc((size_t)rows + (size_t)columns, 1) : NULL;
    if (!hit) { /* nothing to describe, or no memory left for it */
        put(&w, "nowhere");
        return;
    }
    int64_t failed = 0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            if (!failures[r * columns + c]) continue;
            failed++;
            hit[r] = 1;
            hit[rows + c] = 1;
        }
    }
    lines row = gather("row", hit, rows), column = gather("column", hit + rows, columns);
    describe(&w, failures, failed, &row, &column);
    free(hit);
}
