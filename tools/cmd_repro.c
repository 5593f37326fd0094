/* assay repro: runs exactly one case again and tells everything about it. */
#include <string.h>

#include "case_command.h"
#include "commands.h"
#include "operands_files.h"
#include "result_text.h"
#include "session.h"

static const char command[] = "assay repro";

enum { TRUST = CASE_OWN, IN };
static const option_spec specs[] = {
    {IN, "--in", "NAME=FILE", "input NAME from a .npy file, not generated; may be repeated"},
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

/* Runs on inputs from files; those not named are generated. */
static int run_given(const case_command *k, const char *const *ins, int in_count) {
    assay_operands o;
    assay_session session;
    assay_result result;
    assay_totals totals = {.cases = 0};
    assay_status status = assay_operands_create(&k->c, &o);
    if (status) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return 2;
    }
    for (int i = 0; i < in_count && !status; i++) {
        char role[64];
        const size_t length = strcspn(ins[i], "=");
        snprintf(role, sizeof role, "%.*s", (int)(length < 63 ? length : 63), ins[i]);
        status = ins[i][length]
                     ? assay_operands_load(&o, role, ins[i] + length + 1)
                     : assay_fail(ASSAY_ERR_ARGUMENT, "--in %s: expected NAME=FILE", ins[i]);
    }
    int code = 2;
    if (!status && assay_session_open(&k->run, &session) == ASSAY_OK) {
        assay_session_run(&session, &k->c, &o, &result);
        assay_session_close(&session);
        assay_totals_add(&totals, &result);
        result_text_print(stdout, &result);
        code = assay_totals_exit_code(&totals);
    } else {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        code = status ? 2 : 3;
    }
    assay_operands_free(&o);
    return code;
}

int cmd_repro(int argc, char **argv) {
    const char *ins[ASSAY_MAX_TENSORS];
    int in_count = 0;
    case_command k = {.command = command};
    const char *value = NULL;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        if (id == CASE_HELP) {
            help();
            return 0;
        }
        if (id == IN && in_count == ASSAY_MAX_TENSORS) {
            fprintf(stderr, "%s: more than %d --in\n", command, ASSAY_MAX_TENSORS);
            return 2;
        }
        if (id == TRUST)
            k.run.trust = true;
        else if (id == IN)
            ins[in_count++] = value;
        else if (!case_command_take(&k, id, value))
            return 2;
    }
    if (!case_command_settle(&k)) return 2;
    return in_count ? run_given(&k, ins, in_count) : run(&k);
}
