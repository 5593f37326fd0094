/* assay check: runs cases on one back end and judges every output element. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_reports.h"
#include "commands.h"
#include "counters.h"
#include "digest_folder.h"
#include "filter.h"
#include "launcher.h"
#include "options.h"
#include "progress.h"
#include "report_json.h"
#include "report_table.h"
#include "runner.h"
#include "shell_text.h"
#include "target.h"

static const char command[] = "assay check";

enum {
    HELP = 1,
    OP,
    DTYPE,
    BACKEND,
    CHIP,
    LEVEL,
    SEED,
    JOBS,
    CONTRACT,
    KERNELS,
    JSON,
    JUNIT,
    MARKDOWN,
    HTML,
    MUTANTS,
    CASE,
    DIGESTS,
    CHECKED,
    COUNTERS,
    NO_TRUST,
    ALL,
    QUIET
};
static const option_spec specs[] = {
    {OP, "--op", "NAME", "cases of this op: the filter op=NAME"},
    {DTYPE, "--dtype", "NAME", "cases of this storage type: the filter dt=NAME"},
    {BACKEND, "--backend", "NAME", "simt (default), cuda or hip"},
    {CHIP, "--chip", "NAME", "launch as for this chip (default h200; mi300x on hip)"},
    {LEVEL, "--level", "NAME", "smoke, ci (default) or nightly"},
    {SEED, "--seed", "N", "seed of the executor's schedules (default 0)"},
    {JOBS, "--jobs", "N", "host threads (default 0: one per CPU)"},
    {CONTRACT, "--contract", "TEXT", "judge by this numerics contract, not the kernel's own"},
    {KERNELS, "--kernels", "LIB", "shared object whose launchers replace the built-in kernels"},
    {JSON, "--json", "FILE", "also write a report; '-': to standard output"},
    {JUNIT, "--junit", "FILE", "also write JUnit XML"},
    {MARKDOWN, "--markdown", "FILE", "also write a short comment for a change"},
    {HTML, "--html", "FILE", "also write a page for people"},
    {MUTANTS, "--mutants", "FILE", "show this report of assay mutate --json on the page"},
    {CASE, "--case", "LINE", "run exactly this case, in no grid too; may be repeated"},
    {DIGESTS, "--digests", "FOLDER", "record what passed, one file an op, for assay replay"},
    {CHECKED, "--checked", NULL,
     "simt: look at every access of the kernels, at their cost in time"},
    {COUNTERS, "--counters", NULL,
     "with --checked: print sectors, bank conflicts and bytes a case"},
    {NO_TRUST, "--no-trust", NULL, "do not ask whether the data can show every fault"},
    {ALL, "--all", NULL, "print every failure, not the first 20"},
    {QUIET, "--quiet", NULL, "print failures and the verdict only"},
    {HELP, "--help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

/* A setting that a flag gives, or else a variable of the environment. */
typedef struct setting {
    const char *name; /* what to blame: "--seed", "ASSAY_SEED" */
    const char *text; /* NULL: neither */
} setting;

#define CASES 256

typedef struct check {
    assay_run_options run;
    filter filter;
    setting backend, level, seed, jobs;
    const char *chip, *json, *kernels;
    assay_case cases[CASES];
    size_t case_count;
    bool all, quiet;
    char environment_text[4][FILTER_TEXT];
    const char *environment[5]; /* the variables that were heeded */
    char line[8192];            /* the command as typed */
    char repro[1024];
    assay_report_table *table;
    FILE *out; /* of the table */
    assay_report_json *report;
    assay_progress progress;
    digest_folder digests;
    check_reports reports;
    const assay_report_head *head;
} check;

static void help(void) {
    printf("usage: assay check [FILTER...] [OPTION...]\n\n"
           "Runs the cases that every word of the filter selects: rms_norm, d=4096, dt=bf16,f16,\n"
           "d>=4096, data!=normal, or any part of a case line. A case line is a filter, too.\n\n");
    options_help(stdout, specs);
    printf("\nASSAY_BACKEND, ASSAY_LEVEL and ASSAY_SEED stand for the flags, ASSAY_FILTER for the\n"
           "filter; the command line wins. NO_COLOR and CI are respected.\n");
}

static bool take_case(check *k, const char *line) {
    if (k->case_count == CASES) {
        fprintf(stderr, "%s: more than %d --case\n", command, CASES);
        return false;
    }
    if (assay_case_parse(line, &k->cases[k->case_count])) {
        fprintf(stderr, "%s: --case: %s\n", command, assay_last_error());
        return false;
    }
    k->case_count++;
    return true;
}

/* False: told what is wrong, or helped. */
static bool take_arguments(check *k, int argc, char **argv, int *code) {
    options o = options_start(command, specs, argc, argv);
    const char *value = NULL;
    *code = 2;
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        bool right = true;
        switch (id) {
        case HELP:
            help();
            *code = 0;
            return false;
        case OP: right = filter_add_key(&k->filter, command, "op", value); break;
        case DTYPE: right = filter_add_key(&k->filter, command, "dt", value); break;
        case BACKEND: k->backend = (setting){"--backend", value}; break;
        case CHIP: k->chip = value; break;
        case LEVEL: k->level = (setting){"--level", value}; break;
        case SEED: k->seed = (setting){"--seed", value}; break;
        case JOBS: k->jobs = (setting){"--jobs", value}; break;
        case CONTRACT: k->run.contract = value; break;
        case KERNELS: k->kernels = value; break;
        case JSON: k->json = value; break;
        case JUNIT: k->reports.junit = value; break;
        case MARKDOWN: k->reports.markdown = value; break;
        case HTML: k->reports.html = value; break;
        case MUTANTS: k->reports.mutants = value; break;
        case CASE: right = take_case(k, value); break;
        case DIGESTS: k->digests.folder = value; break;
        case CHECKED: k->run.checked = true; break;
        case COUNTERS: k->run.counters = true; break;
        case NO_TRUST: k->run.trust = false; break;
        case ALL: k->all = true; break;
        case QUIET: k->quiet = true; break;
        case OPTION_ARGUMENT: right = filter_add(&k->filter, command, value); break;
        default: right = false;
        }
        if (!right) return false;
    }
    if (k->case_count && k->filter.count) {
        fprintf(stderr, "%s: --case runs exactly its cases; it takes no filter beside it\n",
                command);
        return false;
    }
    return true;
}

/* The value of a variable that is heeded, noted for the report; NULL when unset or empty. */
static const char *heeded(check *k, const char *name) {
    const char *value = getenv(name);
    size_t i = 0;
    if (!value || !*value) return NULL;
    while (k->environment[i]) i++;
    snprintf(k->environment_text[i], sizeof k->environment_text[i], "%s=%s", name, value);
    k->environment[i] = k->environment_text[i];
    return value;
}

static void take_variable(check *k, setting *s, const char *name) {
    if (!s->text) *s = (setting){name, heeded(k, name)};
}

static bool take_environment(check *k) {
    take_variable(k, &k->backend, "ASSAY_BACKEND");
    take_variable(k, &k->level, "ASSAY_LEVEL");
    take_variable(k, &k->seed, "ASSAY_SEED");
    if (k->filter.count || k->case_count) return true;
    const char *words = heeded(k, "ASSAY_FILTER");
    return !words || filter_add(&k->filter, command, words);
}

static bool settle(check *k) {
    uint64_t jobs = 0;
    k->run.level = ASSAY_CI;
    if (k->run.counters && !k->run.checked) {
        fprintf(stderr, "%s: --counters needs --checked\n", command);
        return false;
    }
    if (!target_settle(command, k->backend.text, k->chip, &k->run)) return false;
    if (k->level.text) {
        int level = options_choice(command, "level", k->level.text, filter_levels);
        if (level < 0) return false;
        k->run.level = (assay_level)level;
    }
    if (k->seed.text &&
        !options_number(command, k->seed.name, k->seed.text, UINT64_MAX, &k->run.seed))
        return false;
    if (k->jobs.text && !options_number(command, k->jobs.name, k->jobs.text, 1024, &jobs))
        return false;
    k->run.jobs = (int)jobs;
    k->run.filter = k->filter.words;
    k->run.filter_count = k->filter.count;
    return true;
}

/* What a user must type, but for the case, to see the same again. */
static void settle_texts(check *k, int argc, char **argv) {
    snprintf(k->line, sizeof k->line, "assay");
    for (int i = 0; i < argc; i++) shell_text_add(k->line, sizeof k->line, argv[i]);

    char seed[24];
    snprintf(k->repro, sizeof k->repro, "assay repro --backend %s",
             assay_backend_name(k->run.backend));
    const char *const flags[][2] = {{"--chip", k->chip},
                                    {"--seed", k->run.seed ? seed : NULL},
                                    {"--contract", k->run.contract},
                                    {"--kernels", k->kernels}};
    snprintf(seed, sizeof seed, "%" PRIu64, k->run.seed);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!flags[i][1]) continue;
        shell_text_add(k->repro, sizeof k->repro, flags[i][0]);
        shell_text_add(k->repro, sizeof k->repro, flags[i][1]);
    }
    if (k->run.checked) shell_text_add(k->repro, sizeof k->repro, "--checked");
}

static void on_result(const assay_result *result, void *context) {
    check *k = context;
    if (assay_report_table_prints(k->table, result)) assay_progress_clear(&k->progress);
    assay_report_table_add(k->table, result);
    if (result->counted) {
        assay_progress_clear(&k->progress);
        assay_counters_print(k->out, result);
    }
    if (k->report) assay_report_json_row(k->report, result);
    digest_folder_add(&k->digests, result);
    check_reports_add(&k->reports, result);
}

static void on_progress(int64_t done, int64_t total, const char *line, void *context) {
    check *k = context;
    assay_progress_update(&k->progress, done, total, line);
}

/* Runs, with reports open. */
static int run(check *k, FILE *out) {
    assay_totals totals = {.cases = 0};
    const char *no_color = getenv("NO_COLOR");
    k->out = out;
    k->table = assay_report_table_start(&(assay_report_table_options){
        .out = out,
        .color = isatty(fileno(out)) && !(no_color && *no_color),
        .all = k->all,
        .quiet = k->quiet,
        .repro = k->repro,
    });
    if (!k->table) {
        fprintf(stderr, "%s: no memory for the report\n", command);
        return 3;
    }
    k->run.on_result = on_result;
    k->run.on_progress = k->quiet ? NULL : on_progress;
    k->run.context = k;
    assay_progress_start(&k->progress, stderr);
    assay_status status = k->case_count ? assay_run_cases(&k->run, k->cases, k->case_count, &totals)
                                        : assay_run(&k->run, &totals);
    assay_progress_clear(&k->progress);
    if (status == ASSAY_ERR_ARGUMENT && totals.cases == 0) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        assay_report_table_discard(k->table);
        return 2;
    }
    if (status) fprintf(stderr, "%s: incomplete: %s\n", command, assay_last_error());
    assay_report_table_finish(k->table, &totals);
    if (status) return 3;
    if (totals.cases == 0) {
        fprintf(stderr, "%s: the filter selects no case\n", command);
        return 2;
    }
    int code = assay_totals_exit_code(&totals);
    /* Evidence of a run that did not pass whole would look like more than it is. */
    if (digest_folder_finish(&k->digests, code == 0)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        code = 3;
    }
    if (!check_reports_write(&k->reports, command, &k->run, k->head, &totals, k->repro)) code = 3;
    if (!k->report) return code;
    status = assay_report_json_finish(k->report, &totals);
    k->report = NULL;
    if (status == ASSAY_OK) return code;
    fprintf(stderr, "%s: %s\n", command, assay_last_error());
    return 3;
}

static int prepare_and_run(check *k, int argc, char **argv) {
    int code = 2;
    k->run.trust = true;
    if (!take_arguments(k, argc, argv, &code)) return code;
    if (!take_environment(k) || !settle(k)) return 2;
    settle_texts(k, argc, argv);
    if (k->kernels && assay_kernels_open(k->kernels, &k->run.kernels)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return 2;
    }

    const assay_report_head head = {
        .command = k->line,
        .backend = assay_backend_name(k->run.backend),
        .chip = target_chip_name(&k->run),
        .level = filter_levels[k->run.level],
        .seed = k->run.seed,
        .environment = k->environment,
    };
    if (k->json && assay_report_json_start(k->json, stdout, &head, &k->report)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return 3;
    }
    k->head = &head;
    k->digests.chip = head.chip;
    k->digests.backend = k->run.backend;
    bool on_stdout = (k->json && strcmp(k->json, "-") == 0) || check_reports_on_stdout(&k->reports);
    code = run(k, on_stdout ? stderr : stdout);
    assay_report_json_discard(k->report);
    digest_folder_finish(&k->digests, false);
    check_reports_free(&k->reports);
    return code;
}

int cmd_check(int argc, char **argv) {
    check *k = calloc(1, sizeof *k);
    if (!k) {
        fprintf(stderr, "%s: out of memory\n", command);
        return 3;
    }
    int code = prepare_and_run(k, argc, argv);
    free(k);
    return code;
}
