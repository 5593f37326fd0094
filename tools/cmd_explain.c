/* assay explain: how the bound of one output element comes about, with the numbers. */
#include <stdlib.h>

#include "case_command.h"
#include "commands.h"
#include "explain.h"

static const char command[] = "assay explain";

enum { ROW = CASE_OWN, COLUMN };
static const option_spec specs[] = {
    {ROW, "--row", "R", "the element's row (default with --column: 0)"},
    {COLUMN, "--column", "C", "the element's column (default with --row: 0)"},
    CASE_SPECS,
    {0, NULL, NULL, NULL},
};

static void help(void) {
    printf("usage: assay explain CASE [OPTION...]\n\n"
           "Derives the bound of one output element: the worst failure of the case or, where none\n"
           "fails, the largest error over bound, unless --row or --column choose.\n\n");
    options_help(stdout, specs);
}

static int explain(const case_command *k, int64_t row, int64_t column) {
    static char text[16384];
    assay_explained *e = malloc(sizeof *e);
    if (!e) {
        fprintf(stderr, "%s: out of memory\n", command);
        return 3;
    }
    const assay_status status = assay_explain(&k->run, &k->c, row, column, e);
    if (!status) {
        assay_explain_text(e, text, sizeof text);
        fputs(text, stdout);
    } else {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
    }
    free(e);
    if (!status) return 0;
    return status == ASSAY_ERR_ARGUMENT || status == ASSAY_ERR_UNSUPPORTED ? 2 : 3;
}

int cmd_explain(int argc, char **argv) {
    case_command k = {.command = command};
    uint64_t row = 0, column = 0;
    bool chosen = false;
    const char *value = NULL;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        bool right = true;
        if (id == CASE_HELP) {
            help();
            return 0;
        }
        if (id == ROW || id == COLUMN) {
            chosen = true;
            right = options_number(command, id == ROW ? "--row" : "--column", value, INT64_MAX,
                                   id == ROW ? &row : &column);
        } else {
            right = case_command_take(&k, id, value);
        }
        if (!right) return 2;
    }
    if (!case_command_settle(&k)) return 2;
    return explain(&k, chosen ? (int64_t)row : -1, (int64_t)column);
}
