/* assay repro: runs exactly one case again and tells everything about it. */
#include <string.h>

#include "case_command.h"
#include "commands.h"
#include "result_text.h"

static const char command[] = "assay repro";

enum { TRUST = CASE_OWN };
static const option_spec specs[] = {
    {TRUST, "--trust", NULL, "also ask whether the data can show every fault"},
    CASE_SPECS,
    {0, NULL, NULL, NULL},
};

static void help(void) {
    printf(
        "usage: assay repro CASE [OPTION...]\n\n"
        "Runs the one case, a line as any report prints it, in no grid too. Exit codes are those\n"
        "of assay check.\n\n");
    options_help(stdout, specs);
}

static void on_result(const assay_result *result, void *context) {
    result_text_print(context, result);
}

static int run(case_command *k) {
    char line[ASSAY_CASE_LINE];
    assay_totals totals;
    k->run.on_result = on_result;
    k->run.context = stdout;
    if (assay_run_cases(&k->run, &k->c, 1, &totals)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return 3;
    }
    const int code = assay_totals_exit_code(&totals);
    assay_case_format(&k->c, line);
    if (totals.words[ASSAY_FAILED])
        printf("  next: assay shrink%s '%s'\n  next: assay explain%s '%s'\n", k->flags, line,
               k->flags, line);
    return code;
}

int cmd_repro(int argc, char **argv) {
    case_command k = {.command = command};
    const char *value = NULL;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        if (id == CASE_HELP) {
            help();
            return 0;
        }
        if (id == TRUST)
            k.run.trust = true;
        else if (!case_command_take(&k, id, value))
            return 2;
    }
    return case_command_settle(&k) ? run(&k) : 2;
}
