/* Where failures lie: one text for each shape of fault, and for what only looks like one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

TestSuite(harness_pattern, .timeout = 20);

/* Rows first_row, +row_step, ... < end_row by the same for columns; every `thin`-th of them only.
 */
typedef struct fill {
    int64_t first_row, end_row, row_step;
    int64_t first_column, end_column, column_step;
    int64_t thin;
} fill;

static void apply(unsigned char *failures, int64_t columns, const fill *f) {
    int64_t n = 0;
    for (int64_t r = f->first_row; r < f->end_row; r += f->row_step)
        for (int64_t c = f->first_column; c < f->end_column; c += f->column_step)
            if (f->thin == 0 || n++ % f->thin == 0) failures[r * columns + c] = 1;
}

static void expect_text(int64_t rows, int64_t columns, const fill *f, size_t fills,
                        const char *expected) {
    unsigned char *failures = calloc((size_t)(rows * columns), 1);
    char text[256];
    for (size_t i = 0; i < fills; i++) apply(failures, columns, &f[i]);
    assay_pattern(failures, rows, columns, text, sizeof text);
    cr_expect_str_eq(text, expected, "'%s', expected '%s'", text, expected);
    free(failures);
}

typedef struct sample {
    int64_t rows, columns;
    fill f;
    const char *text;
} sample;

static void expect_all(const sample *s, size_t count) {
    for (size_t i = 0; i < count; i++) expect_text(s[i].rows, s[i].columns, &s[i].f, 1, s[i].text);
}

#define EXPECT_ALL(...)                                                                            \
    do {                                                                                           \
        static const sample samples[] = {__VA_ARGS__};                                             \
        expect_all(samples, sizeof samples / sizeof samples[0]);                                   \
    } while (0)

Test(harness_pattern, none_one_all) {
    EXPECT_ALL({7, 64, {0, 0, 1, 0, 0, 1, 0}, "nowhere"},
               {7, 64, {3, 4, 1, 17, 18, 1, 0}, "one element (row 3, column 17)"},
               {1, 1, {0, 1, 1, 0, 1, 1, 0}, "one element (row 0, column 0)"},
               {7, 64, {0, 7, 1, 0, 64, 1, 0}, "the whole tensor"},
               {1, 64, {0, 1, 1, 0, 64, 1, 0}, "the whole tensor"});
}

Test(harness_pattern, rows) {
    EXPECT_ALL(
        {9, 64, {3, 4, 1, 0, 64, 1, 0}, "row 3 only"},
        {9, 64, {3, 4, 1, 0, 64, 1, 7}, "row 3 only; every 7th column, from column 0"},
        {100, 64, {5, 8, 1, 0, 64, 1, 0}, "rows 5..7 only"},
        {100, 64, {0, 8, 1, 0, 64, 1, 0}, "all in the first 8 rows"},
        {100, 64, {92, 100, 1, 0, 64, 1, 0}, "all in the last 8 rows"},
        {100, 64, {30, 100, 1, 0, 64, 1, 0}, "only rows from 30 on"},
        {100, 64, {0, 100, 2, 0, 64, 1, 0}, "every second row, from row 0"},
        {100, 64, {1, 100, 2, 0, 64, 1, 0}, "every second row, from row 1"},
        {100, 64, {1, 100, 3, 0, 64, 1, 0}, "every third row, from row 1"},
        {100, 64, {7, 100, 8, 0, 64, 1, 0}, "every 8th row, from row 7"},
        {100, 64, {7, 100, 8, 0, 64, 1, 3}, "every 8th row, from row 7 (256 of 768 elements)"});
}

Test(harness_pattern, columns) {
    EXPECT_ALL(
        {9, 64, {0, 9, 1, 5, 6, 1, 0}, "column 5 only"},
        {9, 64, {0, 9, 1, 5, 6, 1, 2}, "every second row, from row 0; column 5 only"},
        {9, 4096, {0, 9, 1, 4088, 4096, 1, 0}, "all in the last 8 columns"},
        {9, 4096, {0, 9, 1, 4088, 4096, 1, 5}, "all in the last 8 columns (15 of 72 elements)"},
        {9, 4096, {0, 9, 1, 0, 100, 1, 0}, "all in the first 100 columns"},
        {9, 4096, {0, 9, 1, 2048, 4096, 1, 0}, "only columns from 2048 on"},
        {9, 4096, {0, 9, 1, 100, 200, 1, 0}, "columns 100..199 only"},
        {9, 4096, {0, 9, 1, 7, 4096, 8, 0}, "every 8th column, from column 7"},
        {9, 64, {0, 9, 1, 0, 64, 2, 0}, "every second column, from column 0"},
        {1, 4096, {0, 1, 1, 4095, 4096, 1, 0}, "one element (row 0, column 4095)"},
        {1, 4096, {0, 1, 1, 4088, 4096, 1, 0}, "all in the last 8 columns"});
}

Test(harness_pattern, both) {
    EXPECT_ALL({100, 100, {32, 48, 1, 48, 64, 1, 0}, "one 16x16 tile at row 32, column 48"},
               {100, 100, {0, 16, 1, 0, 16, 1, 0}, "one 16x16 tile at row 0, column 0"},
               {100,
                100,
                {32, 48, 1, 48, 64, 1, 3},
                "one 16x16 tile at row 32, column 48 (86 of 256 elements)"},
               {100, 100, {3, 4, 1, 92, 100, 1, 0}, "row 3 only; in the last 8 columns"},
               {100, 100, {32, 48, 1, 5, 6, 1, 0}, "rows 32..47 only; column 5 only"},
               {100,
                100,
                {0, 100, 2, 7, 100, 8, 0},
                "every second row, from row 0; every 8th column, from column 7"},
               {100,
                100,
                {0, 100, 2, 92, 100, 1, 0},
                "every second row, from row 0; in the last 8 columns"});
}

/* A stride must run from end to end; a run that fills nearly everything must be well filled. */
Test(harness_pattern, what_only_looks_like_a_pattern) {
    static const fill gap[] = {{0, 9, 1, 0, 24, 8, 0}, {0, 9, 1, 32, 64, 8, 0}};
    static const fill two[] = {{0, 1, 1, 0, 1, 1, 0}, {50, 51, 1, 77, 78, 1, 0}};
    static const fill near[] = {{0, 1, 1, 5, 6, 1, 0}, {1, 2, 1, 6, 7, 1, 0}};
    static const fill rows[] = {{2, 3, 1, 0, 64, 1, 0}, {7, 8, 1, 0, 64, 1, 0}};
    static const fill three[] = {
        {2, 3, 1, 0, 9, 1, 0}, {7, 8, 1, 0, 9, 1, 0}, {8, 9, 1, 0, 9, 1, 0}};
    static const fill sparse[] = {{0, 9, 1, 0, 32, 8, 0}, {0, 9, 1, 120, 121, 1, 0}};
    expect_text(9, 64, gap, 2, "every 8th column, from column 0 (63 of 72 elements)");
    expect_text(9, 128, sparse, 2, "scattered (45 of 1152 elements)");
    expect_text(100, 100, two, 2,
                "scattered (2 of 10000 elements): row 0 column 0, row 50 column 77");
    expect_text(100, 100, near, 2, "one 2x2 tile at row 0, column 5 (2 of 4 elements)");
    expect_text(20, 64, rows, 2, "rows 2 and 7 only");
    expect_text(20, 9, three, 3, "rows 2, 7 and 8 only");
    EXPECT_ALL({9, 64, {0, 9, 1, 0, 40, 8, 0}, "scattered (45 of 576 elements)"},
               {9, 64, {0, 9, 1, 8, 64, 8, 0}, "scattered (63 of 576 elements)"},
               {3, 9, {0, 3, 2, 0, 9, 1, 0}, "rows 0 and 2 only"},
               {2, 9, {0, 1, 1, 0, 9, 1, 0}, "row 0 only"},
               {100, 100, {1, 100, 1, 1, 100, 1, 97}, "scattered (102 of 10000 elements)"});
}

Test(harness_pattern, random_failures_are_scattered) {
    uint64_t state = 7;
    for (int n = 0; n < 50; n++) {
        enum { ROWS = 64, COLUMNS = 300 };
        unsigned char failures[ROWS * COLUMNS] = {0};
        char text[256];
        for (int k = 0; k < 20 + 40 * n; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            failures[(state >> 33) % (ROWS * COLUMNS)] = 1;
        }
        assay_pattern(failures, ROWS, COLUMNS, text, sizeof text);
        cr_expect_eq(strncmp(text, "scattered", 9), 0, "%s", text);
    }
}

/* The text is cut, never overrun, and nothing is read of an empty tensor. */
Test(harness_pattern, small_buffers_and_empty_tensors) {
    static const unsigned char failures[4] = {1, 0, 0, 1};
    char text[16];
    for (size_t size = 0; size < sizeof text; size++) {
        memset(text, '#', sizeof text);
        assay_pattern(failures, 2, 2, text, size);
        if (size) cr_expect_lt(strlen(text), size);
        for (size_t i = size; i < sizeof text; i++) cr_expect_eq(text[i], '#');
    }
    assay_pattern(NULL, 0, 8, text, sizeof text);
    cr_expect_str_eq(text, "nowhere");
    assay_pattern(NULL, 8, 0, text, sizeof text);
    cr_expect_str_eq(text, "nowhere");
}
