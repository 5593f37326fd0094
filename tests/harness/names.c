#include "names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 48 /* longer names are never typed wrong by a letter, but by all of them */

const char *assay_name_in_array(const void *table, size_t index) {
    return ((const char *const *)table)[index];
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, substitutions and swaps of neighbours between two words. */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[m][n];
}

const char *assay_name_nearest(const char *word, assay_name_at *at, const void *table) {
    size_t length = strlen(word);
    if (length > LONGEST) return NULL;
    size_t limit = length < 3 ? 1 : length / 3, best = limit + 1;
    const char *nearest = NULL, *name;
    for (size_t i = 0; (name = at(table, i)); i++) {
        size_t name_length = strlen(name);
        if (name_length > LONGEST) continue;
        size_t d = distance(word, length, name, name_length);
        /* Of a one-letter name every other letter is one step away. */
        if (d >= best || d >= name_length) continue;
        best = d;
        nearest = name;
    }
    return nearest;
}

void assay_name_help(const char *word, assay_name_at *at, const void *table, char *text,
                     size_t size) {
    const char *nearest = assay_name_nearest(word, at, table), *name;
    size_t used = 0;
    int n = snprintf(text, size, nearest ? "did you mean '%s'? known:" : "known:", nearest);
    if (n > 0) used = (size_t)n;
    for (size_t i = 0; (name = at(table, i)) && used < size; i++) {
        n = snprintf(text + used, size - used, "%s %s", i ? "," : "", name);
        if (n > 0) used += (size_t)n;
    }
}
