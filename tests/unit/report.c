/* Results and what is told of them: words, totals, exit codes, failure texts, JSON, table,
 * progress. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/formats.h"
#include "failure_text.h"
#include "progress.h"
#include "report_json.h"
#include "report_table.h"
#include "toy_op.h"
#include "version.h"

TestSuite(harness_report, .timeout = 20);

static assay_result result_of(const char *line, assay_word word) {
    assay_result r = {.word = word, .backend = "simt", .check = "", .outputs = 10, .launches = 1};
    cr_assert_eq(assay_case_parse(line, &r.c), ASSAY_OK, "%s", assay_last_error());
    assay_tally_start(&r.tally);
    r.seconds = 0.5;
    return r;
}

static int code_of(const int64_t words[ASSAY_WORD_COUNT]) {
    assay_totals t = {.cases = 0};
    for (int w = 0; w < ASSAY_WORD_COUNT; w++) {
        t.words[w] = words[w];
        t.cases += words[w];
    }
    return assay_totals_exit_code(&t);
}

Test(harness_report, every_word_has_a_name_and_a_code) {
    static const struct {
        const char *name, *key;
        int alone, beside_a_pass;
    } table[ASSAY_WORD_COUNT] = {
        [ASSAY_PASSED] = {"PASSED", "passed", 0, 0},
        [ASSAY_FAILED] = {"FAILED", "failed", 1, 1},
        [ASSAY_MISTRUSTED] = {"MISTRUSTED", "mistrusted", 1, 1},
        [ASSAY_ILL_CONDITIONED] = {"ILL_CONDITIONED", "ill_conditioned", 1, 1},
        [ASSAY_REFUSED] = {"REFUSED", "refused", 1, 1},
        [ASSAY_SKIPPED] = {"SKIPPED", "skipped", 77, 0},
        [ASSAY_HARNESS_ERROR] = {"HARNESS_ERROR", "harness_error", 3, 3},
    };
    for (int w = 0; w < ASSAY_WORD_COUNT; w++) {
        int64_t words[ASSAY_WORD_COUNT] = {0};
        cr_expect_str_eq(assay_word_name((assay_word)w), table[w].name);
        cr_expect_str_eq(assay_word_key((assay_word)w), table[w].key);
        words[w] = 2;
        cr_expect_eq(code_of(words), table[w].alone, "%s", table[w].name);
        words[ASSAY_PASSED] = 1;
        cr_expect_eq(code_of(words), table[w].beside_a_pass, "%s", table[w].name);
        words[ASSAY_FAILED] = 1;
        cr_expect_eq(code_of(words), w == ASSAY_HARNESS_ERROR ? 3 : 1, "%s", table[w].name);
    }
    cr_expect_eq(code_of((int64_t[ASSAY_WORD_COUNT]){0}), 2);
    cr_expect_str_eq(assay_word_name(ASSAY_WORD_COUNT), "?");
}

Test(harness_report, totals_add_up) {
    assay_totals t = {.cases = 0};
    assay_result a = result_of("toy", ASSAY_PASSED), b = result_of("toy", ASSAY_FAILED);
    assay_result odd = result_of("toy", ASSAY_WORD_COUNT);
    a.tally.max_slack = 0.5;
    a.slack_known = true;
    b.tally.max_slack = 7; /* not known: storage rounded */
    assay_totals_add(&t, &a);
    assay_totals_add(&t, &b);
    assay_totals_add(&t, &odd);
    cr_expect_eq(t.cases, 3);
    cr_expect_eq(t.words[ASSAY_PASSED], 1);
    cr_expect_eq(t.words[ASSAY_FAILED], 1);
    cr_expect_eq(t.words[ASSAY_HARNESS_ERROR], 1);
    cr_expect_eq(t.outputs, 30);
    cr_expect_eq(t.launches, 3);
    cr_expect_eq(t.max_slack, 0.5);
    cr_expect_eq(t.seconds, 1.5);
}

static void expect_in(const char *text, const char *part) {
    cr_expect(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static void failure_of(assay_dtype dtype, const double *values, const assay_bound *bounds,
                       char *text, size_t size) {
    const assay_tensor y = {.role = "y", .dtype = dtype, .rank = 2, .shape = {3, 4}};
    assay_case c = assay_case_default(&toy);
    unsigned char stored[48], failures[12];
    assay_tally t;
    for (int i = 0; i < 12; i++)
        assay_format_store(dtype, stored, i, assay_format_encode(dtype, values[i]));
    assay_tally_start(&t);
    assay_tally_add(&t, dtype, stored, 0, 12, bounds, failures);
    assay_failure_text(&c, &y, &t, failures, text, size);
}

Test(harness_report, a_failure_text_has_all_of_it) {
    double values[12];
    assay_bound bounds[12];
    for (int i = 0; i < 12; i++) {
        values[i] = i % 4 == 3 ? 1.25 : 1;
        bounds[i] = (assay_bound){1, 0.5, 1.125};
    }
    values[7] = 1.375;
    char text[ASSAY_MESSAGE];
    failure_of(ASSAY_BF16, values, bounds, text, sizeof text);
    cr_expect_str_eq(text, "y: 3 of 12 elements out of bounds (25 %)\n"
                           "  worst  y[row 1, column 3]\n"
                           "    got      1.375 (0x3fb0)\n"
                           "    exact    1, nearest 1 (0x3f80)\n"
                           "    accepted 0.5 (0x3f00) to 1.125 (0x3f90)\n"
                           "    error    0.375, bound 0.125, error/bound 3, 48 ulp\n"
                           "  where  column 3 only");
    for (size_t size = 0; size < 300; size++) {
        char cut[301];
        memset(cut, '#', sizeof cut);
        failure_of(ASSAY_BF16, values, bounds, cut, size);
        if (size) cr_expect_lt(strlen(cut), size);
        cr_expect_eq(cut[size], '#');
    }
}

Test(harness_report, a_failure_text_speaks_of_nan) {
    double values[12] = {0};
    assay_bound bounds[12] = {{0, 0, 0}};
    char text[ASSAY_MESSAGE];
    values[5] = (double)NAN;
    failure_of(ASSAY_F32, values, bounds, text, sizeof text);
    expect_in(text, "y[row 1, column 1]");
    expect_in(text, "got      nan (0x7fffffff)");
    expect_in(text, "accepted 0 (0x00000000)\n");
    expect_in(text, "a NaN where a number is due");
    values[5] = 3;
    bounds[5] = (assay_bound){NAN, NAN, NAN};
    failure_of(ASSAY_F32, values, bounds, text, sizeof text);
    expect_in(text, "got      3 (0x40400000)");
    expect_in(text, "accepted NaN only");
}

/* A directory of the test's own. */
static char directory[] = "/tmp/assay-report-XXXXXX";

static void make_directory(void) {
    cr_assert(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
}

static int entries(void) {
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void remove_directory(void) {
    cr_expect_eq(entries(), 0, "something was left in %s", directory);
    rmdir(directory);
}

static char *contents(const char *path) {
    FILE *f = fopen(path, "r");
    cr_assert(f, "no %s", path);
    char *text = calloc(1, 1 << 22);
    cr_assert_lt(fread(text, 1, (1 << 22) - 1, f), (1 << 22) - 1);
    fclose(f);
    return text;
}

static const char *const environment[] = {"ASSAY_SEED=9", "ASSAY_FILTER=d=64", NULL};
static const assay_report_head head = {
    .command = "assay check 'tab\there \xff'",
    .backend = "simt",
    .chip = "h200",
    .level = "ci",
    .seed = UINT64_MAX,
    .environment = environment,
};

static void write_report(const char *path, FILE *out, int rows) {
    assay_report_json *report = NULL;
    assay_totals totals = {.cases = 0};
    cr_assert_eq(assay_report_json_start(path, out, &head, &report), ASSAY_OK, "%s",
                 assay_last_error());
    for (int i = 0; i < rows; i++) {
        assay_result r = result_of("toy dt=bf16 rows=7", i % 2 ? ASSAY_FAILED : ASSAY_PASSED);
        r.outputs = INT64_C(9007199254740993); /* 2^53 + 1 is no double */
        r.tally.failed = i;
        r.slack_known = i % 2;
        r.tally.max_slack = i == 1 ? (double)INFINITY : 0.75;
        snprintf(r.message, sizeof r.message, "%s", i % 2 ? "a \"quoted\"\nline\\" : "");
        assay_totals_add(&totals, &r);
        totals.outputs = 1;
        assay_report_json_row(report, &r);
    }
    totals.max_slack = rows > 1 ? (double)NAN : 0;
    cr_assert_eq(assay_report_json_finish(report, &totals), ASSAY_OK, "%s", assay_last_error());
}

static const char *string_in(const cJSON *object, const char *key) {
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    cr_assert(s, "no string %s", key);
    return s;
}

static const cJSON *member(const cJSON *object, const char *key) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    cr_assert(m, "no %s", key);
    return m;
}

Test(harness_report, json_has_its_keys, .init = make_directory, .fini = remove_directory) {
    write_report("r.json", NULL, 4);
    char *text = contents("r.json");
    cJSON *o = cJSON_Parse(text);
    cr_assert(o, "no JSON: %s", text);
    cr_expect_str_eq(string_in(o, "schema"), "assay.check/1");
    cr_expect_str_eq(string_in(o, "tool"), ASSAY_VERSION);
    cr_expect_str_eq(string_in(o, "command"), "assay check 'tab\there ?'");
    cr_expect_str_eq(string_in(o, "backend"), "simt");
    cr_expect_str_eq(string_in(o, "chip"), "h200");
    cr_expect_str_eq(string_in(o, "level"), "ci");
    cr_expect_str_eq(string_in(member(o, "environment"), "ASSAY_SEED"), "9");
    cr_expect_str_eq(string_in(member(o, "environment"), "ASSAY_FILTER"), "d=64");
    expect_in(text, "\"seed\":18446744073709551615");
    expect_in(text, "\"outputs\":9007199254740993");

    const cJSON *totals = member(o, "totals"), *rows = member(o, "rows");
    for (int w = 0; w < ASSAY_WORD_COUNT; w++)
        cr_expect_eq(member(totals, assay_word_key((assay_word)w))->valueint, w < 2 ? 2 : 0);
    cr_expect_eq(member(totals, "cases")->valueint, 4);
    cr_expect_eq(member(totals, "outputs")->valueint, 1);
    cr_expect_eq(member(totals, "launches")->valueint, 4);
    cr_expect_eq(member(totals, "seconds")->valuedouble, 2);
    cr_expect(cJSON_IsNull(member(totals, "max_slack")));

    cr_assert_eq(cJSON_GetArraySize(rows), 4);
    const cJSON *r = cJSON_GetArrayItem(rows, 3);
    cr_expect_str_eq(string_in(r, "case"), "toy dt=bf16 rows=7 d=8 data=normal");
    cr_expect_str_eq(string_in(r, "verdict"), "FAILED");
    cr_expect_str_eq(string_in(r, "check"), "");
    cr_expect_str_eq(string_in(r, "kernel"), "");
    cr_expect_str_eq(string_in(r, "message"), "a \"quoted\"\nline\\");
    cr_expect_eq(member(r, "failed_outputs")->valueint, 3);
    cr_expect_eq(member(r, "slack")->valuedouble, 0.75);
    cr_expect_eq(member(r, "seconds")->valuedouble, 0.5);
    cr_expect(cJSON_IsNull(member(cJSON_GetArrayItem(rows, 0), "slack"))); /* not known */
    cr_expect(cJSON_IsNull(member(cJSON_GetArrayItem(rows, 1), "slack"))); /* infinite */
    cJSON_Delete(o);
    free(text);
    unlink("r.json");
}

Test(harness_report, json_of_no_and_of_many_rows, .init = make_directory,
     .fini = remove_directory) {
    static const int counts[] = {0, 1, 10000};
    for (size_t i = 0; i < 3; i++) {
        write_report("r.json", NULL, counts[i]);
        char *text = contents("r.json");
        cJSON *o = cJSON_Parse(text);
        cr_assert(o, "%d rows: no JSON", counts[i]);
        cr_expect_eq(cJSON_GetArraySize(member(o, "rows")), counts[i]);
        cJSON_Delete(o);
        free(text);
    }
    unlink("r.json");
}

Test(harness_report, json_appears_whole_or_not_at_all, .init = make_directory,
     .fini = remove_directory) {
    assay_report_json *report = NULL;
    assay_result r = result_of("toy", ASSAY_PASSED);
    FILE *old = fopen("r.json", "w");
    fputs("old", old);
    fclose(old);
    cr_assert_eq(symlink("r.json", "link.json"), 0);

    cr_assert_eq(assay_report_json_start("link.json", NULL, &head, &report), ASSAY_OK);
    assay_report_json_row(report, &r);
    char *text = contents("r.json");
    cr_expect_str_eq(text, "old");
    free(text);
    cr_expect_eq(entries(), 3); /* and the temporary one */
    assay_report_json_discard(report);
    text = contents("r.json");
    cr_expect_str_eq(text, "old");
    free(text);
    cr_expect_eq(entries(), 2);

    struct stat info;
    write_report("link.json", NULL, 1);
    cr_expect(lstat("link.json", &info) == 0 && S_ISLNK(info.st_mode), "the link was replaced");
    text = contents("r.json");
    expect_in(text, "assay.check/1");
    free(text);
    unlink("r.json");
    unlink("link.json");
}

Test(harness_report, json_that_cannot_be_written, .init = make_directory,
     .fini = remove_directory) {
    assay_report_json *report = NULL;
    assay_totals totals = {.cases = 0};
    static const char *const places[] = {"no/such/r.json", ".", ""};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(assay_report_json_start(places[i], NULL, &head, &report), ASSAY_ERR_IO);
        expect_in(assay_last_error(), places[i]);
    }
    cr_expect_eq(entries(), 0);

    /* A file may not grow: what was there stays, and nothing is left beside it. */
    FILE *old = fopen("r.json", "w");
    fputs("old", old);
    fclose(old);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, RLIM_INFINITY}), 0);
    cr_assert_eq(assay_report_json_start("r.json", NULL, &head, &report), ASSAY_OK);
    cr_expect_eq(assay_report_json_finish(report, &totals), ASSAY_ERR_IO);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    expect_in(assay_last_error(), "File too large");
    char *text = contents("r.json");
    cr_expect_str_eq(text, "old");
    free(text);
    cr_expect_eq(entries(), 1);
    unlink("r.json");
}

/* A pipe is written in place. Only ever a pipe of the test's own: a broken rename, as root, would
 * replace /dev/null for the whole machine. */
Test(harness_report, json_into_a_pipe, .init = make_directory, .fini = remove_directory) {
    static char text[1 << 14];
    struct stat info;
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    int fd = open("pipe", O_RDWR | O_NONBLOCK); /* so that no one waits for the other end */
    cr_assert_geq(fd, 0);
    write_report("pipe", NULL, 2);
    cr_expect(lstat("pipe", &info) == 0 && S_ISFIFO(info.st_mode), "the pipe was replaced");
    ssize_t n = read(fd, text, sizeof text - 1);
    cr_assert_gt(n, 0);
    cJSON *o = cJSON_Parse(text);
    cr_expect(o, "no JSON: %s", text);
    cJSON_Delete(o);
    close(fd);
    unlink("pipe");
}

Test(harness_report, json_on_a_stream) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assay_report_json *report = NULL;
    cr_assert_eq(assay_report_json_start("-", out, &head, &report), ASSAY_OK);
    assay_report_json_discard(report); /* nothing happened: nothing is written */
    fflush(out);
    cr_expect_eq(size, 0);
    write_report("-", out, 2);
    fclose(out);
    cJSON *o = cJSON_Parse(text);
    cr_expect(o);
    cJSON_Delete(o);
    free(text);

    assay_totals totals = {.cases = 0};
    FILE *full = fopen("/dev/full", "w"); /* a stream: nothing is created or renamed */
    cr_assert_eq(assay_report_json_start("-", full, &head, &report), ASSAY_OK);
    cr_expect_eq(assay_report_json_finish(report, &totals), ASSAY_ERR_IO);
    expect_in(assay_last_error(), "No space left");
    fclose(full);
}

typedef struct printed {
    char *text;
    size_t size;
    FILE *out;
    assay_report_table *table;
    assay_totals totals;
} printed;

static void start_table(printed *p, bool color, bool all, bool quiet) {
    *p = (printed){.text = NULL};
    p->out = open_memstream(&p->text, &p->size);
    p->table = assay_report_table_start(&(assay_report_table_options){
        .out = p->out, .color = color, .all = all, .quiet = quiet, .repro = "assay repro --x"});
}

static bool add(printed *p, const char *line, assay_word word) {
    assay_result r = result_of(line, word);
    r.check = word == ASSAY_FAILED ? "bounds" : "";
    r.tally.max_slack = 0.25;
    r.slack_known = strstr(line, "f32") != NULL;
    if (word != ASSAY_PASSED) snprintf(r.message, sizeof r.message, "what\n  it is");
    bool prints = assay_report_table_prints(p->table, &r);
    fflush(p->out);
    size_t before = p->size;
    assay_report_table_add(p->table, &r);
    fflush(p->out);
    cr_expect_eq(prints, p->size > before, "%s", line);
    assay_totals_add(&p->totals, &r);
    return prints;
}

static void finish_table(printed *p) {
    assay_report_table_finish(p->table, &p->totals);
    fclose(p->out);
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

Test(harness_report, table_by_op_and_dtype) {
    printed p;
    start_table(&p, false, false, false);
    add(&p, "toy dt=f32", ASSAY_PASSED);
    add(&p, "toy dt=bf16 rows=7", ASSAY_FAILED);
    add(&p, "toy dt=bf16 rows=8", ASSAY_PASSED);
    add(&p, "toy dt=bf16 rows=9", ASSAY_MISTRUSTED);
    add(&p, "other dt=bf16 seq=1", ASSAY_REFUSED);
    finish_table(&p);
    expect_in(p.text, "FAILED toy dt=bf16 rows=7 d=8 data=normal\n"
                      "  check: bounds\n"
                      "  what\n"
                      "    it is\n"
                      "  repro: assay repro --x 'toy dt=bf16 rows=7 d=8 data=normal'\n");
    expect_in(p.text, "repro: assay repro --x --trust 'toy dt=bf16 rows=9 d=8 data=normal'\n");
    /* cases passed failed mistrusted other outputs slack seconds */
    expect_in(p.text, "\ntoy                  f32          1       1       0          0       0 "
                      "           10      0.25      0.50\n");
    expect_in(p.text, "\ntoy                  bf16         3       1       1          1       0 "
                      "           30         -      1.50\n");
    expect_in(p.text, "\nother                bf16         1       0       0          0       1 "
                      "           10         -      0.50\n");
    expect_in(p.text, "\ntotal                             5       2       1          1       1 "
                      "           50      0.25      2.50\n");
    expect_in(p.text, "\nFAILED: 1 failed, 1 mistrusted, 1 refused, 2 passed of 5 cases; "
                      "50 outputs compared\n");
    cr_expect_not(strchr(p.text, '\033'));
    free(p.text);
}

Test(harness_report, table_of_a_pass_and_of_nothing) {
    printed p;
    start_table(&p, true, false, true);
    add(&p, "toy dt=f32", ASSAY_PASSED);
    finish_table(&p);
    cr_expect_str_eq(p.text, "\033[1;32mPASSED\033[0m: 1 passed of 1 cases; 10 outputs compared\n");
    free(p.text);
    start_table(&p, false, false, true);
    finish_table(&p);
    cr_expect_str_eq(p.text, "nothing ran\n");
    free(p.text);
}

Test(harness_report, table_limits_each_word_by_itself) {
    for (int all = 0; all < 2; all++) {
        printed p;
        start_table(&p, false, all, false);
        for (int i = 0; i < 25; i++) add(&p, "toy", ASSAY_FAILED);
        add(&p, "toy", ASSAY_HARNESS_ERROR);
        for (int i = 0; i < 3; i++) add(&p, "toy", ASSAY_SKIPPED);
        finish_table(&p);
        cr_expect_eq(times(p.text, "FAILED toy"), all ? 25 : ASSAY_REPORT_LIMIT);
        cr_expect_eq(times(p.text, "HARNESS_ERROR toy"), 1);
        cr_expect_eq(times(p.text, "SKIPPED toy"), all ? 3 : 1);
        cr_expect_eq(times(p.text, "--all shows them"), all ? 0 : 2);
        expect_in(p.text, "HARNESS_ERROR: 1 harness_error, 25 failed, 3 skipped of 29 cases");
        free(p.text);
    }
}

Test(harness_report, progress_fits_its_width) {
    char text[256];
    assay_progress_text(text, sizeof text, 200, 50, 200, 30, "toy d=8");
    cr_expect_str_eq(text, "[#####...............] 50/200  0:30, 1:30 left  toy d=8");
    assay_progress_text(text, sizeof text, 200, 0, 200, 4000, "toy");
    cr_expect_str_eq(text, "[....................] 0/200  1:06:40, ? left  toy");
    assay_progress_text(text, sizeof text, 200, 3, 3, 1, "toy");
    expect_in(text, "[####################] 3/3  0:01, 0:00 left");
    assay_progress_text(text, sizeof text, 30, 50, 200, 30, "toy d=8");
    cr_expect_eq(strlen(text), 30);
    assay_progress_text(text, 10, 200, 0, 0, 0, "toy");
    cr_expect_eq(strlen(text), 9);
}

/* No terminal: no progress, nor escape sequences in a log. */
Test(harness_report, progress_only_on_a_terminal) {
    FILE *file = tmpfile();
    assay_progress p;
    assay_progress_start(&p, file);
    assay_progress_update(&p, 1, 2, "toy");
    assay_progress_clear(&p);
    cr_expect_eq(ftell(file), 0);
    fclose(file);
}
