/* The command line: what it takes, what it says, how it exits. The runner is a toy; main.c is
 * compiled with its main named assay_main. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "commands.h"
#include "toy_op.h"
#include "toy_run.h"
#include "version.h"

int assay_main(int argc, char **argv);

static void clear_environment(void) {
    unsetenv("ASSAY_SEED");
    unsetenv("ASSAY_LEVEL");
    unsetenv("ASSAY_FILTER");
    unsetenv("ASSAY_BACKEND");
}

TestSuite(harness_cli, .timeout = 20, .init = clear_environment);

static char out[1 << 16], err[1 << 16];

static void redirect(int fd, FILE *stream, FILE *file) {
    fflush(stream);
    cr_assert_geq(dup2(fileno(file), fd), 0);
}

static void collect(FILE *file, char *text, size_t size) {
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Runs "assay WORDS..." (words end with NULL) and returns the exit code; `out` and `err` hold what
 * was printed. */
static int assay_words(const char *const *words) {
    char *argv[64] = {"assay"};
    int argc = 1;
    for (; *words; words++) argv[argc++] = (char *)(uintptr_t)*words;
    int old_out = dup(1), old_err = dup(2);
    FILE *o = tmpfile(), *e = tmpfile();
    redirect(1, stdout, o);
    redirect(2, stderr, e);
    int code = assay_main(argc, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(old_out, 1);
    dup2(old_err, 2);
    close(old_out);
    close(old_err);
    collect(o, out, sizeof out);
    collect(e, err, sizeof err);
    return code;
}

#define ASSAY(...) assay_words((const char *const[]){__VA_ARGS__, NULL})

#define EXPECT_RUN(code, ...)                                                                      \
    do {                                                                                           \
        int got_ = ASSAY(__VA_ARGS__);                                                             \
        cr_expect_eq(got_, code, "exit %d, expected %d\n%s%s", got_, code, out, err);              \
    } while (0)

static void expect_in(const char *text, const char *part) {
    cr_expect(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static int lines(const char *text) {
    int n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

Test(harness_cli, commands_are_dispatched) {
    EXPECT_RUN(40, "judge");
    cr_expect_str_eq(toy_command_ran, "judge");
    EXPECT_RUN(40, "doctor", "--anything");
    cr_expect_str_eq(toy_command_ran, "doctor");
    EXPECT_RUN(0, "--version");
    cr_expect_str_eq(out, "assay " ASSAY_VERSION "\n");
    cr_expect_str_eq(ASSAY_VERSION, PROJECT_VERSION);
    EXPECT_RUN(0, "--help");
    expect_in(out, "usage: assay COMMAND");
    EXPECT_RUN(0, "help");
    cr_expect_str_eq(err, "");
    cr_expect_eq(assay_words((const char *const[]){NULL}), 2);
    expect_in(err, "usage: assay COMMAND");
    EXPECT_RUN(2, "chekc");
    expect_in(err, "assay: unknown command 'chekc'; did you mean 'check'? known: check, ");
    EXPECT_RUN(2, "--verbose");
    expect_in(err, "unknown flag '--verbose'");
    cr_expect_str_eq(out, "");
}

Test(harness_cli, wrong_flags_are_named) {
    EXPECT_RUN(2, "check", "--sede", "3");
    expect_in(err, "assay check: unknown flag '--sede'; did you mean '--seed'?");
    EXPECT_RUN(2, "check", "--sede=3");
    expect_in(err, "unknown flag '--sede'; did");
    EXPECT_RUN(2, "check", "-x");
    expect_in(err, "unknown flag '-x'");
    EXPECT_RUN(2, "check", "--seed");
    expect_in(err, "--seed needs a value: N");
    EXPECT_RUN(2, "check", "--all=yes");
    expect_in(err, "--all takes no value");
    EXPECT_RUN(2, "list", "--levle", "ci");
    expect_in(err, "assay list: unknown flag '--levle'; did you mean '--level'?");
}

Test(harness_cli, wrong_values_are_named) {
    static const struct {
        const char *flag, *value, *said;
    } table[] = {
        {"--backend", "cud", "unknown back end 'cud'; did you mean 'cuda'? known: simt, cuda, hip"},
        {"--chip", "h20", "unknown chip 'h20'; did you mean 'h200'? known: a100"},
        {"--level", "deep", "unknown level 'deep'; known: smoke, ci, nightly"},
        {"--seed", "-1", "--seed: expected a decimal number 0..18446744073709551615, found '-1'"},
        {"--seed", "18446744073709551616", "--seed: expected a decimal number"},
        {"--seed", "", "--seed: expected a decimal number"},
        {"--seed", "0x1", "--seed: expected a decimal number"},
        {"--jobs", "1025", "--jobs: expected a decimal number 0..1024, found '1025'"},
        {"--op", "tyo", "unknown op 'tyo'; did you mean 'toy'?"},
        {"--dtype", "bf61", "unknown word in dt=bf61; did you mean 'bf16'?"},
        {"--case", "toy d=0", "--case: toy: d=0 is outside 1..16777216"},
        {"--case", "tyo", "--case: unknown op 'tyo'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        EXPECT_RUN(2, "check", table[i].flag, table[i].value);
        expect_in(err, table[i].said);
        cr_expect_str_eq(out, "");
    }
    EXPECT_RUN(2, "check", "--backend", "cuda", "--chip", "mi300x");
    expect_in(err, "--chip mi300x is no nvidia chip, which --backend cuda needs");
    EXPECT_RUN(0, "check", "--backend", "hip", "--chip", "mi300x");
    EXPECT_RUN(0, "check", "--chip", "mi300x");
}

Test(harness_cli, flags_reach_the_runner) {
    EXPECT_RUN(0, "check");
    cr_expect_eq(toy_run_seen.backend, ASSAY_SIMT);
    cr_expect_eq(toy_run_seen.level, ASSAY_CI);
    cr_expect_eq(toy_run_seen.seed, 0);
    cr_expect_eq(toy_run_seen.jobs, 0);
    cr_expect_null(toy_run_seen.chip);
    cr_expect_null(toy_run_seen.contract);
    cr_expect(toy_run_seen.trust);
    expect_in(out, "PASSED: 8 passed of 8 cases; 8000 outputs compared");
    EXPECT_RUN(0, "check", "--backend=cuda", "--level", "smoke", "--seed=18446744073709551615",
               "--jobs", "3", "--chip", "sm_80", "--no-trust", "--op", "toy", "--dtype",
               "f32,bf16");
    cr_expect_eq(toy_run_seen.backend, ASSAY_CUDA);
    cr_expect_eq(toy_run_seen.level, ASSAY_SMOKE);
    cr_expect_eq(toy_run_seen.seed, UINT64_MAX);
    cr_expect_eq(toy_run_seen.jobs, 3);
    cr_expect_str_eq(toy_run_seen.chip->name, "a100");
    cr_expect_not(toy_run_seen.trust);
    expect_in(out, "PASSED: 2 passed of 2 cases");
}

Test(harness_cli, filters_select) {
    EXPECT_RUN(0, "check", "d>=4096", "dt=bf16,f32");
    expect_in(out, "PASSED: 2 passed of 2 cases");
    EXPECT_RUN(0, "check", " d>=4096  tail ");
    expect_in(out, "PASSED: 1 passed of 1 cases");
    EXPECT_RUN(0, "check", "toy dt=bf16 rows=7 d=4096 data=tail_spike");
    expect_in(out, "PASSED: 1 passed of 1 cases");
    EXPECT_RUN(0, "check", "--", "other");
    expect_in(out, "PASSED: 2 passed of 2 cases");
    EXPECT_RUN(2, "check", "--", "--all");
    EXPECT_RUN(2, "check", "d=4095");
    expect_in(err, "assay check: no case matches the filter");
    cr_expect_str_eq(out, "");
    EXPECT_RUN(2, "check", "row=1");
    expect_in(err, "no op has the key 'row'");
}

Test(harness_cli, exact_cases_need_no_grid) {
    EXPECT_RUN(0, "check", "--case", "toy rows=77 d=77", "--case=other seq=5");
    expect_in(out, "PASSED: 2 passed of 2 cases");
    EXPECT_RUN(2, "check", "--case", "toy rows=77", "dt=bf16");
    expect_in(err, "it takes no filter beside it");
    setenv("ASSAY_FILTER", "other", 1);
    EXPECT_RUN(0, "check", "--case", "toy rows=77 d=77");
    expect_in(out, "PASSED: 1 passed of 1 cases");
    cr_expect_eq(toy_run_seen.filter_count, 0);
}

Test(harness_cli, words_decide_the_exit_code) {
    static const int codes[ASSAY_WORD_COUNT] = {
        [ASSAY_FAILED] = 1,  [ASSAY_MISTRUSTED] = 1, [ASSAY_ILL_CONDITIONED] = 1,
        [ASSAY_REFUSED] = 1, [ASSAY_SKIPPED] = 77,   [ASSAY_HARNESS_ERROR] = 3};
    for (int w = 1; w < ASSAY_WORD_COUNT; w++) {
        char line[64];
        snprintf(line, sizeof line, "toy seed=%d", 100 + w);
        EXPECT_RUN(codes[w], "check", "--case", line);
        EXPECT_RUN(w == ASSAY_SKIPPED ? 0 : codes[w], "check", "--case", line, "--case", "toy");
    }
}

Test(harness_cli, reports_see_every_result_and_their_failure_counts) {
    EXPECT_RUN(0, "check", "--case", "toy seed=1", "--case", "toy seed=2", "--junit", "x",
               "--quiet");
    cr_expect_eq(toy_reports_noted, 2);
    cr_expect_eq(toy_reports_written, 1);
    toy_reports_fail = true;
    EXPECT_RUN(3, "check", "--case", "toy seed=1", "--markdown=x", "--quiet");
    cr_expect_str_neq(out, "");
    EXPECT_RUN(3, "check", "--case", "toy seed=1", "--markdown=-", "--quiet");
    cr_expect_str_eq(out, "", "the report has standard output for itself");
}

Test(harness_cli, failures_are_told_with_their_repro) {
    EXPECT_RUN(1, "check", "--case", "toy seed=101 rows=7", "--chip", "a100", "--seed", "5",
               "--contract", "any order's", "--level=nightly", "--quiet");
    cr_expect_str_eq(out, "FAILED toy dt=f32 rows=7 d=8 data=normal seed=101\n"
                          "  check: bounds\n"
                          "  kernel: toy<f32>\n"
                          "  first line\n"
                          "  second line\n"
                          "  repro: assay repro --backend simt --chip a100 --seed 5 --contract "
                          "'any order'\\''s' 'toy dt=f32 rows=7 d=8 data=normal seed=101'\n"
                          "FAILED: 1 failed of 1 cases; 1000 outputs compared\n");
    cr_expect_str_eq(err, "");
    const char *words[64] = {"check"};
    for (int i = 0; i < 25; i++) {
        words[2 * i + 1] = "--case";
        words[2 * i + 2] = "toy seed=101";
    }
    cr_expect_eq(assay_words(words), 1);
    expect_in(out, "(more that are FAILED are counted only; --all shows them)");
    words[51] = "--all";
    cr_expect_eq(assay_words(words), 1);
    cr_expect_not(strstr(out, "are counted only"));
}

static cJSON *report_at(const char *path) {
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    cr_assert(f, "no report %s", path);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    cJSON *o = cJSON_Parse(text);
    cr_assert(o, "no JSON: %s", text);
    return o;
}

static const char *text_of(const cJSON *o, const char *key) {
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    return s ? s : "(none)";
}

Test(harness_cli, variables_stand_for_flags) {
    char path[] = "/tmp/assay-cli-XXXXXX";
    close(mkstemp(path));
    setenv("ASSAY_SEED", "17", 1);
    setenv("ASSAY_LEVEL", "nightly", 1);
    setenv("ASSAY_FILTER", "toy dt=f32", 1);
    setenv("ASSAY_BACKEND", "hip", 1);
    EXPECT_RUN(0, "check", "--json", path);
    cr_expect_eq(toy_run_seen.seed, 17);
    cr_expect_eq(toy_run_seen.level, ASSAY_NIGHTLY);
    cr_expect_eq(toy_run_seen.backend, ASSAY_HIP);
    expect_in(out, "PASSED: 3 passed of 3 cases");
    cJSON *o = report_at(path);
    const cJSON *e = cJSON_GetObjectItemCaseSensitive(o, "environment");
    cr_expect_str_eq(text_of(e, "ASSAY_SEED"), "17");
    cr_expect_str_eq(text_of(e, "ASSAY_LEVEL"), "nightly");
    cr_expect_str_eq(text_of(e, "ASSAY_FILTER"), "toy dt=f32");
    cr_expect_str_eq(text_of(e, "ASSAY_BACKEND"), "hip");
    cr_expect_str_eq(text_of(o, "chip"), "mi300x");
    cJSON_Delete(o);

    EXPECT_RUN(0, "check", "--json", path, "--seed=3", "--level=smoke", "--backend=simt", "other");
    cr_expect_eq(toy_run_seen.seed, 3);
    expect_in(out, "PASSED: 2 passed of 2 cases");
    o = report_at(path);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, "environment")), 0);
    cr_expect_str_eq(text_of(o, "level"), "smoke");
    cr_expect_str_eq(text_of(o, "chip"), "h200");
    cJSON_Delete(o);

    setenv("ASSAY_SEED", "x", 1);
    EXPECT_RUN(2, "check");
    expect_in(err, "ASSAY_SEED: expected a decimal number");
    setenv("ASSAY_SEED", "", 1);
    setenv("ASSAY_FILTER", "nothing_like_this", 1);
    EXPECT_RUN(2, "check");
    unlink(path);
}

Test(harness_cli, json_on_standard_output_is_alone) {
    EXPECT_RUN(1, "check", "--json", "-", "--case", "toy seed=101", "--case", "toy");
    cJSON *o = cJSON_Parse(out);
    cr_assert(o, "no JSON: %s", out);
    cr_expect_str_eq(text_of(o, "command"),
                     "assay check --json - --case 'toy seed=101' --case toy");
    cJSON_Delete(o);
    expect_in(err, "FAILED toy");
    expect_in(err, "FAILED: 1 failed, 1 passed of 2 cases");
    EXPECT_RUN(2, "check", "--json", "-", "d=4095");
    cr_expect_str_eq(out, "");
}

Test(harness_cli, a_report_that_cannot_be_written_is_told) {
    EXPECT_RUN(3, "check", "--json", "/no/such/place.json");
    expect_in(err, "cannot write the report /no/such/place.json: No such file");
    cr_expect_str_eq(out, "");

    char path[] = "/tmp/assay-cli-XXXXXX";
    close(mkstemp(path));
    const char *words[64] = {"check", "--quiet", "--json", path};
    for (int i = 4; i < 62; i += 2) {
        words[i] = "--case";
        words[i + 1] = "toy";
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit that the report exceeds and the verdict does not */
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY}), 0);
    int code = assay_words(words);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_expect_eq(code, 3);
    expect_in(err, "cannot write the report");
    expect_in(out, "PASSED: 29 passed");
    unlink(path);
}

/* A report of an earlier run stays when this one selects nothing, or breaks off. */
Test(harness_cli, a_run_that_breaks_off_leaves_no_report) {
    char path[] = "/tmp/assay-cli-XXXXXX", text[8] = {0};
    int fd = mkstemp(path);
    cr_assert_eq(write(fd, "old", 3), 3);
    EXPECT_RUN(2, "check", "--json", path, "d=4095");
    toy_run_stops_with = ASSAY_ERR_INTERNAL;
    toy_run_stops_after = 2;
    EXPECT_RUN(3, "check", "--json", path);
    expect_in(err, "assay check: incomplete: the toy runner stops");
    expect_in(out, "PASSED: 2 passed of 2 cases");
    toy_run_stops_with = ASSAY_ERR_ARGUMENT;
    EXPECT_RUN(3, "check", "--json", path);
    toy_run_stops_after = 0;
    EXPECT_RUN(2, "check", "--json", path);
    cr_expect_eq(pread(fd, text, 7, 0), 3);
    cr_expect_str_eq(text, "old");
    close(fd);
    unlink(path);
}

/* Digests are evidence: they are kept only of a run that passed whole. */
Test(harness_cli, digests_are_kept_of_a_pass_only) {
    EXPECT_RUN(0, "check");
    cr_expect_eq(toy_digests_noted, 0);
    cr_expect_not(toy_digests_kept);
    EXPECT_RUN(1, "check", "--digests", "folder", "--case", "toy seed=101", "--case", "toy");
    cr_expect_eq(toy_digests_noted, 2);
    cr_expect_not(toy_digests_kept);
    EXPECT_RUN(0, "check", "--digests=folder");
    cr_expect_eq(toy_digests_noted, 2 + TOY_CI + TOY_OTHER);
    cr_expect(toy_digests_kept);
    toy_digests_status = ASSAY_ERR_IO;
    EXPECT_RUN(3, "check", "--digests=folder");
    expect_in(err, "the toy digests fail");
}

Test(harness_cli, lists_have_one_item_a_line) {
    EXPECT_RUN(0, "list");
    cr_expect_str_eq(out, "toy  y = toy(x)\nother  y = other(x)\n");
    EXPECT_RUN(0, "list", "ops", "oth");
    cr_expect_str_eq(out, "other  y = other(x)\n");
    EXPECT_RUN(0, "list", "kernels");
    cr_expect_str_eq(out, "toy f32->f32 sm_80 gfx942\ntoy bf16->f32 sm_90a\n");
    EXPECT_RUN(0, "list", "kernels", "bf16", "sm_90a");
    cr_expect_str_eq(out, "toy bf16->f32 sm_90a\n");
    EXPECT_RUN(0, "list", "data");
    cr_expect_str_eq(out, "toy data=normal\ntoy data=tail_spike\ntoy data=zeros\n"
                          "other data=normal\nother data=rising\n");
    EXPECT_RUN(0, "list", "cases");
    cr_expect_eq(lines(out), TOY_CI + TOY_OTHER);
    EXPECT_RUN(0, "list", "cases", "--level", "smoke", "d>=4096");
    cr_expect_str_eq(out, "toy dt=bf16 rows=7 d=4096 data=tail_spike\n");
    EXPECT_RUN(0, "list", "--help");
    expect_in(out, "usage: assay list");
    EXPECT_RUN(2, "list", "cases", "d=4095");
    expect_in(err, "assay list: no cases match the filter");
    EXPECT_RUN(2, "list", "cases", "row=1");
    expect_in(err, "no op has the key 'row'");
    cr_expect_not(strstr(err, "no cases match"), "%s", err); /* one reason, the right one */
    EXPECT_RUN(2, "list", "kernel");
    expect_in(err, "unknown kind of item 'kernel'; did you mean 'kernels'?");
    EXPECT_RUN(2, "list", "kernels", "sm_10");
}

/* Every listed case line is a case and a filter that selects it. */
Test(harness_cli, listed_cases_can_be_given_back) {
    EXPECT_RUN(0, "list", "cases", "--level=nightly");
    static char listed[sizeof out];
    memcpy(listed, out, sizeof out);
    for (char *line = strtok(listed, "\n"); line; line = strtok(NULL, "\n")) {
        EXPECT_RUN(0, "check", "--case", line);
        expect_in(out, "PASSED: 1 passed of 1 cases");
        EXPECT_RUN(0, "check", "--level=nightly", line);
    }
}

Test(harness_cli, lost_output_is_an_error) {
    static const char *const tries[][3] = {{"list", "ops"}, {"list", "cases"}, {"check"},
                                           {"--version"},   {"--help"},        {"check", "--help"}};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        char *argv[4] = {"assay"};
        int argc = 1;
        for (; argc < 4 && tries[i][argc - 1]; argc++)
            argv[argc] = (char *)(uintptr_t)tries[i][argc - 1];
        int old_out = dup(1), old_err = dup(2);
        FILE *full = fopen("/dev/full", "w"), *e = tmpfile();
        redirect(1, stdout, full);
        redirect(2, stderr, e);
        int code = assay_main(argc, argv);
        clearerr(stdout);
        dup2(old_out, 1);
        dup2(old_err, 2);
        close(old_out);
        close(old_err);
        fclose(full);
        collect(e, err, sizeof err);
        cr_expect_eq(code, 3, "%s: exit %d", argv[1], code);
        expect_in(err, "cannot write to standard output");
    }
}

Test(harness_cli, check_explains_itself) {
    EXPECT_RUN(0, "check", "--help");
    static const char *const flags[] = {
        "--op",       "--dtype", "--backend", "--chip",     "--level", "--seed",  "--jobs",
        "--contract", "--json",  "--case",    "--no-trust", "--all",   "--quiet", "ASSAY_FILTER"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) expect_in(out, flags[i]);
}
