/* What the suites of checked mode share: an executor with tensors, launches that must find
 * something at a given line, and the same under a hundred schedules. */
#ifndef ASSAY_TESTS_UNIT_CHECKED_KIT_H
#define ASSAY_TESTS_UNIT_CHECKED_KIT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/simt.h"
#include "unit/checked_kernels.h"

#define SEEDS 100

assay_kernel_entry assay_checked_kernels_checked;

#define CHECKED_BYTES(name, bytes, kind) bytes,
#define CHECKED_KIND(name, bytes, kind) kind,
#define CHECKED_NAME(name, bytes, kind) #name,
static const size_t hook_bytes[] = {CHECKED_HOOKS(CHECKED_BYTES)};
static const char hook_kind[] = {CHECKED_HOOKS(CHECKED_KIND)};
static const char *const hook_name[] = {CHECKED_HOOKS(CHECKED_NAME)};

static inline bool hook_reads(int hook) { return strchr("rla", hook_kind[hook]) != NULL; }
static inline bool hook_is_atomic(int hook) { return strchr("lsa", hook_kind[hook]) != NULL; }
/* Packed structs may lie anywhere. */
static inline bool hook_aligned(int hook) { return hook_bytes[hook] != 24 && hook_bytes[hook] > 1; }

/* The line of checked_kernels.cu that is marked "@name". */
static inline int line_of(const char *name) {
    char mark[64], text[400];
    int line = 0, found = 0;
    snprintf(mark, sizeof mark, "/* @%s */", name);
    FILE *file = fopen(CHECKED_SOURCE, "r");
    cr_assert_not_null(file, "%s", CHECKED_SOURCE);
    while (fgets(text, sizeof text, file) != NULL) {
        line++;
        if (strstr(text, mark) != NULL) found = line;
    }
    fclose(file);
    cr_assert_gt(found, 0, "no line is marked %s", mark);
    return found;
}

typedef struct kit {
    assay_simt *simt;
    checked_params params;
    assay_geometry geometry;
} kit;

static inline void *kit_alloc(kit *k, const char *name, size_t bytes, size_t offset) {
    void *pointer;
    cr_assert_eq(assay_simt_alloc(k->simt, name, bytes, offset, &pointer), ASSAY_OK, "%s",
                 assay_last_error());
    return pointer;
}

/* Rows of `columns` elements that lie `stride` elements apart. */
static inline void kit_declare(kit *k, void *pointer, size_t element, int64_t rows, int64_t columns,
                               int64_t stride, bool written) {
    const assay_simt_layout layout = {.element_bytes = element,
                                      .rank = 2,
                                      .shape = {rows, columns},
                                      .stride = {stride, 1},
                                      .written = written};
    cr_assert_eq(assay_simt_declare(k->simt, pointer, &layout), ASSAY_OK, "%s", assay_last_error());
}

static inline kit kit_make(uint32_t blocks, uint32_t threads) {
    kit k = {.geometry = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}};
    const assay_simt_options options = {.checked = true};
    cr_assert_eq(assay_simt_create(&options, &k.simt), ASSAY_OK, "%s", assay_last_error());
    k.params.other = kit_alloc(&k, "other", (size_t)blocks * threads * 32, 0);
    return k;
}

static inline assay_status kit_run(kit *k, int kernel, uint64_t seed) {
    assay_simt_set_seed(k->simt, seed);
    return assay_checked_kernels_checked(kernel, &k->geometry, &k->params, k->simt);
}

/* True when the last error holds each of the texts. */
static inline bool kit_says(const char *const *texts) {
    for (; *texts != NULL; texts++)
        if (strstr(assay_last_error(), *texts) == NULL) return false;
    return true;
}

/* The launch must find what the texts say, under every schedule; returns how many did. */
static inline int kit_found(kit *k, int kernel, const char *const *texts) {
    int found = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const assay_status status = kit_run(k, kernel, seed);
        const bool right = status == ASSAY_ERR_KERNEL && kit_says(texts);
        cr_expect(right, "kernel %d seed %d: %s: %s (expected \"%s\")", kernel, (int)seed,
                  assay_status_name(status), status != ASSAY_OK ? assay_last_error() : "", *texts);
        if (!right) return found;
        found++;
    }
    return found;
}

static inline void kit_clean(kit *k, int kernel, int seeds) {
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++)
        cr_assert_eq(kit_run(k, kernel, seed), ASSAY_OK, "kernel %d seed %d: %s", kernel, (int)seed,
                     assay_last_error());
}

#define EXPECT_FOUND(k, kernel, ...)                                                               \
    cr_expect_eq(kit_found(k, kernel, (const char *const[]){__VA_ARGS__, NULL}), SEEDS)

#endif
