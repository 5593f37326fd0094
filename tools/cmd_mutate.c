/* assay mutate: plants the faults of tests/mutants and sees which of them the unit lane finds. */
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "filter.h"
#include "mutate_report.h"
#include "options.h"
#include "progress.h"
#include "text_file.h"

static const char command[] = "assay mutate";

enum { HELP = 1, LIST, JSON, JOBS, RESUME, BUILD, CATALOGUE, TIMEOUT };
static const option_spec specs[] = {
    {LIST, "--list", NULL,
     "one mutant a line: id, class, file, title; 3 when one cannot be planted"},
    {JSON, "--json", "FILE", "also write a report, after every mutant anew"},
    {JOBS, "--jobs", "N", "mutants at a time (default 0: one per CPU)"},
    {RESUME, "--resume", "FILE", "keep the rows of this report that still hold"},
    {BUILD, "--build", "DIR", "build directory, up to date (default: the program's)"},
    {CATALOGUE, "--catalogue", "DIR", "folder of mutants (default: tests/mutants of the source)"},
    {TIMEOUT, "--timeout", "S", "seconds a mutant may take (default 300)"},
    {HELP, "--help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

typedef struct mutation {
    filter filter;
    assay_mutate_options run;
    const char *json, *resume, *catalogue_folder;
    char program[4096], folder[4200], line[4096];
    char *root; /* of the source tree */
    bool list;
    assay_catalogue catalogue;
    bool *selected;
    size_t selected_count;
    mutate_report report, known;
    assay_mutate_totals so_far;
    assay_progress progress;
} mutation;

static void help(void) {
    printf(
        "usage: assay mutate [FILTER...] [OPTION...]\n\n"
        "Plants one fault at a time and runs what the unit lane runs until something fails.\n"
        "Every word of the filter must be a part of the mutant's id, class, file, source or\n"
        "title. Exit: 0 all killed, 1 survivors, 2 usage, 3 a mutant was refused or not run.\n\n");
    options_help(stdout, specs);
}

static bool take_arguments(mutation *k, int argc, char **argv, int *code) {
    options o = options_start(command, specs, argc, argv);
    const char *value = NULL;
    uint64_t number = 0;
    *code = 2;
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        bool right = true;
        switch (id) {
        case HELP:
            help();
            *code = 0;
            return false;
        case LIST: k->list = true; break;
        case JSON: k->json = value; break;
        case RESUME: k->resume = value; break;
        case BUILD: k->run.build = value; break;
        case CATALOGUE: k->catalogue_folder = value; break;
        case JOBS:
            right = options_number(command, "--jobs", value, 64, &number);
            k->run.jobs = (int)number;
            break;
        case TIMEOUT:
            right = options_number(command, "--timeout", value, 86400, &number);
            k->run.timeout = (double)number;
            break;
        case OPTION_ARGUMENT: right = filter_add(&k->filter, command, value); break;
        default: right = false;
        }
        if (!right) return false;
    }
    return true;
}

/* The program's own path, its folder as the build directory, the catalogue of its source. */
static bool find_places(mutation *k) {
    const ssize_t n = readlink("/proc/self/exe", k->program, sizeof k->program - 1);
    if (n <= 0) {
        fprintf(stderr, "%s: cannot tell where this program lies\n", command);
        return false;
    }
    k->run.program = k->program;
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s", k->program);
    if (!k->run.build) k->run.build = dirname(folder);
    if (assay_mutate_root(k->run.build, &k->root)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return false;
    }
    snprintf(k->folder, sizeof k->folder, "%s/tests/mutants", k->root);
    if (!k->catalogue_folder) k->catalogue_folder = k->folder;
    return true;
}

static bool select_mutants(mutation *k) {
    if (assay_catalogue_read(k->catalogue_folder, &k->catalogue)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return false;
    }
    k->selected = calloc(k->catalogue.count + 1, sizeof *k->selected);
    for (size_t i = 0; k->selected && i < k->catalogue.count; i++) {
        k->selected[i] =
            assay_mutant_matches(&k->catalogue.mutants[i], k->filter.words, k->filter.count);
        k->selected_count += k->selected[i];
    }
    if (k->selected_count) return true;
    fprintf(stderr, "%s: the filter selects none of %zu mutants of %s\n", command,
            k->catalogue.count, k->catalogue_folder);
    return false;
}

static int list(const mutation *k) {
    int code = 0;
    for (size_t i = 0; i < k->catalogue.count; i++) {
        const assay_mutant *m = &k->catalogue.mutants[i];
        if (!k->selected[i]) continue;
        if (k->catalogue.troubles[i]) {
            fprintf(stderr, "%s: %s\n", command, k->catalogue.troubles[i]);
            code = 3;
        } else if (assay_mutant_plant(m, k->root, NULL)) {
            fprintf(stderr, "%s: %s\n", command, assay_last_error());
            code = 3;
        } else {
            printf("%s\t%s\t%s\t%s\n", m->id, m->class, m->file, m->title);
        }
    }
    return code;
}

static void on_row(const assay_mutant_row *row, int64_t done, int64_t total, void *context) {
    mutation *k = context;
    mutate_report_add(&k->report, row);
    assay_mutate_count(&k->so_far, row);
    assay_progress_update(&k->progress, done, total, row->id);
    /* Written anew each time, so that a run that is cut off can be resumed. */
    if (k->json) mutate_report_write(&k->report, k->json, k->line, &k->so_far, false);
}

static void print_totals(const assay_mutate_totals *t, int code) {
    const int64_t *s = t->statuses;
    printf("\n%s: %" PRId64 " of %" PRId64 " applied mutants killed; %" PRId64 " survived (%" PRId64
           " with other bits), %" PRId64 " equivalent, %" PRId64 " refused, %" PRId64
           " not run; %.0f s\n",
           code == 0   ? "ALL KILLED"
           : code == 1 ? "SURVIVORS"
                       : "INCOMPLETE",
           s[ASSAY_MUTANT_KILLED], t->applied, s[ASSAY_MUTANT_SURVIVED], t->replay_only,
           s[ASSAY_MUTANT_EQUIVALENT], s[ASSAY_MUTANT_REFUSED], s[ASSAY_MUTANT_NOT_RUN],
           t->seconds);
}

static int run(mutation *k) {
    assay_mutate_totals totals;
    const char *no_color = getenv("NO_COLOR");
    if (k->resume && access(k->resume, F_OK) == 0 && !mutate_report_read(k->resume, &k->known))
        return 2;
    k->run.known = k->known.rows;
    k->run.known_count = k->known.count;
    k->run.on_row = on_row;
    k->run.context = k;
    assay_progress_start(&k->progress, stderr);
    const assay_status status = assay_mutate(&k->run, &k->catalogue, k->selected, &totals);
    assay_progress_clear(&k->progress);
    if (status) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return 3;
    }
    const int code = assay_mutate_exit_code(&totals);
    mutate_report_print(&k->report, stdout, isatty(1) && !(no_color && *no_color));
    print_totals(&totals, code);
    const bool written =
        !k->json || mutate_report_write(&k->report, k->json, k->line, &totals, true);
    return written ? code : 3;
}

int cmd_mutate(int argc, char **argv) {
    mutation *k = calloc(1, sizeof *k);
    int code = 3;
    if (!k) {
        fprintf(stderr, "%s: out of memory\n", command);
        return code;
    }
    snprintf(k->line, sizeof k->line, "assay");
    for (int i = 0; i < argc; i++) {
        const size_t used = strlen(k->line);
        snprintf(k->line + used, sizeof k->line - used, " %s", argv[i]);
    }
    if (take_arguments(k, argc, argv, &code)) {
        code = 2;
        if (find_places(k) && select_mutants(k)) code = k->list ? list(k) : run(k);
    }
    assay_catalogue_free(&k->catalogue);
    free(k->root);
    free(k->selected);
    free(k->report.rows);
    free(k->known.rows);
    free(k);
    return code;
}
