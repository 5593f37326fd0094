/* Digests: recording, reading, staleness, and replay that notices one changed bit. */
#include "digests.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

#define HEAD                                                                                       \
    "{\"schema\":\"assay.digests/1\",\"op\":\"rms_norm\",\"chip\":\"h200\",\"device\":\"d\","      \
    "\"driver\":\"1\",\"toolkit\":\"2\",\"date\":\"3\",\"source\":\"4\",\"rows\":"
#define LINE_A "rms_norm dt=bf16 rows=3 d=65 eps=1e-6 data=normal seed=1"
#define LINE_B "rms_norm dt=f32 rows=2 d=9 eps=1e-6 data=heavy seed=2"

static char folder[64], path[80], stale_path[80];

static void enter(void) {
    strcpy(folder, "/tmp/assay-digests-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rms_norm.json", folder);
    snprintf(stale_path, sizeof stale_path, "%s/stale.json", folder);
}

static void leave(void) {
    unlink(path);
    unlink(stale_path);
    rmdir(folder);
}

TestSuite(digests, .init = enter, .fini = leave);

static void write_file(const char *to, const char *text) {
    FILE *f = fopen(to, "wb");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void record(const assay_result *r, void *context) { assay_digests_row(context, r); }

/* Records LINE_A and LINE_B as the executor gives them. */
static void record_two(void) {
    assay_digest_writer *w;
    assay_case cases[2];
    assay_totals totals;
    cr_assert_eq(assay_case_parse(LINE_A, &cases[0]), ASSAY_OK);
    cr_assert_eq(assay_case_parse(LINE_B, &cases[1]), ASSAY_OK);
    cr_assert_eq(assay_digests_start(path, "rms_norm", "h200", ASSAY_SIMT, &w), ASSAY_OK);
    const assay_run_options options = {
        .backend = ASSAY_SIMT, .jobs = 1, .on_result = record, .context = w};
    cr_assert_eq(assay_run_cases(&options, cases, 2, &totals), ASSAY_OK);
    cr_assert_eq(assay_digests_finish(w), ASSAY_OK, "%s", assay_last_error());
}

static char words[256];

static void on_row(const assay_digest *digest, const char *word, const char *message,
                   void *context) {
    char line[ASSAY_CASE_LINE];
    (void)context;
    assay_case_format(&digest->c, line);
    snprintf(words + strlen(words), sizeof words - strlen(words), "[%s %.20s %.20s]", word, line,
             message);
}

static assay_replay_totals replay(void) {
    assay_digest_file file;
    assay_replay_totals totals = {0};
    words[0] = '\0';
    cr_assert_eq(assay_digests_read(path, &file), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_digests_replay(&file, 1, on_row, NULL, &totals), ASSAY_OK);
    assay_digests_free(&file);
    return totals;
}

Test(digests, what_was_recorded_replays) {
    record_two();
    const assay_replay_totals t = replay();
    cr_assert_eq(t.digests, 2);
    cr_assert_eq(t.outputs, 3 * 65 + 2 * 9);
    cr_assert_eq(t.differing, 0);
    cr_assert_str_eq(words, "");
}

/* Replaces one hex digit of the `which` field of the first row. */
static void change_digit(const char *which) {
    static char text[8192];
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    char *digit = strstr(strstr(text, "\"case\""), which);
    cr_assert_not_null(digit);
    digit += strlen(which) + 3;
    *digit = *digit == '0' ? '1' : '0';
    write_file(path, text);
}

Test(digests, a_changed_output_differs) {
    record_two();
    change_digit("outputs");
    const assay_replay_totals t = replay();
    cr_assert_eq(t.differing, 1);
    cr_assert(strstr(words, "FAILED rms_norm dt=bf16"), "%s", words);
}

Test(digests, changed_inputs_are_the_harness_s_fault) {
    record_two();
    change_digit("inputs");
    const assay_replay_totals t = replay();
    cr_assert_eq(t.changed_inputs, 1);
    cr_assert_eq(t.differing, 0);
    cr_assert(strstr(words, "HARNESS_ERROR"), "%s", words);
}

Test(digests, stale_rows_are_listed_and_not_counted_as_differing) {
    record_two();
    change_digit("outputs");
    write_file(stale_path, "{\"rows\":[{\"case\":\"" LINE_A "\",\"reason\":\"new tree\"}]}");
    const assay_replay_totals t = replay();
    cr_assert_eq(t.stale, 1);
    cr_assert_eq(t.differing, 0);
    cr_assert(strstr(words, "STALE") && strstr(words, "new tree"), "%s", words);
}

Test(digests, malformed_files_are_refused_with_file_and_field) {
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", "byte offset 0"},
        {"{\"schema\":\"assay.digests/1\"", "byte offset"},
        {"{\"schema\":\"other/1\"}", "schema: expected"},
        {"{\"schema\":\"assay.digests/1\",\"chip\":\"h200\"}", "expected the strings chip"},
        {HEAD "3}", "rows: expected an array"},
        {HEAD "[]}", "rows: is empty"},
        {HEAD "[{\"case\":\"" LINE_A "\",\"inputs\":\"0\"}]}", "row 0: expected the strings"},
        {HEAD "[{\"case\":\"rms_norm d=0\",\"inputs\":\"0\",\"outputs\":\"0\"}]}", "row 0, case:"},
        {HEAD "[]} trailing", "byte offset"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assay_digest_file file;
        write_file(path, files[i].text);
        cr_assert_eq(assay_digests_read(path, &file), ASSAY_ERR_FORMAT, "file %zu", i);
        cr_assert(strstr(assay_last_error(), files[i].message), "file %zu: %s", i,
                  assay_last_error());
        cr_assert(strstr(assay_last_error(), path), "file %zu: %s", i, assay_last_error());
    }
    assay_digest_file file;
    cr_assert_eq(assay_digests_read("/nonexistent/x.json", &file), ASSAY_ERR_IO);
}

/* Nothing recorded, nothing left behind. */
Test(digests, an_empty_recording_leaves_no_file) {
    assay_digest_writer *w;
    cr_assert_eq(assay_digests_start(path, "rms_norm", "h200", ASSAY_SIMT, &w), ASSAY_OK);
    cr_assert_eq(assay_digests_finish(w), ASSAY_ERR_IO);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(assay_digests_start("/nonexistent/x.json", "x", "h200", ASSAY_SIMT, &w),
                 ASSAY_ERR_IO);
}

/* The hash sees each element, its place, the shape and the dtype; a NaN's payload it does not. */
Test(digests, hash) {
    assay_tensor t = {.dtype = ASSAY_BF16, .rank = 2, .shape = {2, 3}};
    uint16_t data[6] = {1, 2, 3, 4, 5, 0x7fc1};
    char base[ASSAY_HASH_TEXT], other[ASSAY_HASH_TEXT];
#define HASH(text)                                                                                 \
    do {                                                                                           \
        assay_hash h = assay_hash_start();                                                         \
        assay_hash_tensor(&h, &t, data);                                                           \
        assay_hash_text(&h, text);                                                                 \
    } while (0)
    HASH(base);
    cr_assert_eq(strlen(base), 32u);
    data[5] = 0xffff;
    HASH(other);
    cr_assert_str_eq(base, other);
    for (int i = 0; i < 5; i++) {
        data[i] ^= 1;
        HASH(other);
        cr_assert_str_neq(base, other, "element %d", i);
        data[i] ^= 1;
    }
    data[0] = 2, data[1] = 1;
    HASH(other);
    cr_assert_str_neq(base, other);
    data[0] = 1, data[1] = 2;
    t.shape[0] = 3, t.shape[1] = 2;
    HASH(other);
    cr_assert_str_neq(base, other);
    t.shape[0] = 2, t.shape[1] = 3, t.dtype = ASSAY_F16;
    HASH(other);
    cr_assert_str_neq(base, other);
}
