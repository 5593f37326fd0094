/* assay shrink: the smallest case, and the fewest input values, that still fail the same way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "case_command.h"
#include "commands.h"
#include "operands_files.h"
#include "progress.h"
#include "result_text.h"
#include "shell_text.h"
#include "shrink.h"

static const char command[] = "assay shrink";

#define LISTED 16 /* values that are printed */

enum { OUT = CASE_OWN, BUDGET };
static const option_spec specs[] = {
    {OUT, "--out", "DIR", "write the smallest inputs as DIR/NAME.npy"},
    {BUDGET, "--budget", "N", "launches at most (default 50000)"},
    CASE_SPECS,
    {0, NULL, NULL, NULL},
};

static void help(void) {
    printf(
        "usage: assay shrink CASE [OPTION...]\n\n"
        "Shrinks a failing case: first its shape and other attributes, then its input values, as\n"
        "far as the same check still fails. Exit: 1 it fails, 0 it passes, 2 usage, 3 otherwise.\n"
        "\n");
    options_help(stdout, specs);
}

static void on_progress(int64_t launches, int64_t budget, const char *line, void *context) {
    assay_progress_update(context, launches, budget, line);
}

/* What became of each attribute: "rows 7 -> 1, conv rc -> ra". */
static void print_changes(const assay_case *from, const assay_case *to) {
    const char *before = "  changed: ";
    for (size_t i = 0; i < from->op->attr_count; i++) {
        const assay_attr *attr = &from->op->attrs[i];
        const assay_value a = from->value[i], b = to->value[i];
        if (memcmp(&a, &b, sizeof a) == 0) continue;
        printf("%s%s ", before, attr->key);
        if (attr->kind == ASSAY_ATTR_INT) printf("%" PRId64 " -> %" PRId64, a.i, b.i);
        if (attr->kind == ASSAY_ATTR_REAL) printf("%g -> %g", a.r, b.r);
        if (attr->kind == ASSAY_ATTR_WORD) printf("%s -> %s", attr->words[a.i], attr->words[b.i]);
        before = ", ";
    }
    if (*before == ',') printf("\n");
}

static void print_values(const assay_operands *o) {
    int64_t shown = 0;
    for (size_t i = 0; i < o->count; i++) {
        const assay_tensor *t = &o->tensors[i];
        for (int64_t e = 0; o->dense[i] && e < assay_tensor_elements(t); e++) {
            const uint32_t bits = assay_format_load(t->dtype, o->dense[i], e);
            const double value = assay_format_decode(t->dtype, bits);
            const int64_t columns = t->shape[t->rank - 1];
            if (value == 0) continue;
            if (shown++ == LISTED) printf("    ...\n");
            if (shown > LISTED) return;
            printf("    %s[", t->role);
            if (t->rank > 1) printf("row %" PRId64 ", column ", e / columns);
            printf("%" PRId64 "] = %.9g (0x%0*" PRIx32 ")\n", e % columns, value,
                   2 * (int)assay_dtype_size(t->dtype), bits);
        }
    }
}

/* The command that runs the reduced inputs again. */
static void print_given(const case_command *k, const assay_shrunk *s, const char *folder) {
    char line[ASSAY_CASE_LINE], text[8192] = "assay repro";
    assay_case_format(&s->given.c, line);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", k->flags);
    for (size_t i = 0; i < s->operands.count; i++) {
        char in[4200];
        if (!s->operands.dense[i]) continue;
        const char *role = s->operands.tensors[i].role;
        snprintf(in, sizeof in, "%s=%s/%s.npy", role, folder, role);
        shell_text_add(text, sizeof text, "--in");
        shell_text_add(text, sizeof text, in);
    }
    printf("  with these inputs: %s '%s'\n", text, line);
}

static bool print_shrunk(const case_command *k, const assay_shrunk *s, const char *folder) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(&s->result.c, line);
    result_text_print(stdout, &s->result);
    print_changes(&s->first.c, &s->result.c);
    printf("  tried: %" PRId64 " cases, %" PRId64 " launches%s\n", s->runs, s->launches,
           s->exhausted ? "; the budget is spent, --budget N allows more" : "");
    printf("  repro: assay repro%s '%s'\n", k->flags, line);
    if (!s->emptied) {
        printf("  inputs: left as generated, for it passes when judged on inputs of its own\n");
        return true;
    }
    printf("  inputs: %" PRId64 " of %" PRId64 " values are enough\n", s->nonzero, s->elements);
    print_values(&s->operands);
    if (!folder) {
        printf("  --out DIR writes these inputs as .npy files\n");
        return true;
    }
    if (assay_operands_save(&s->operands, folder)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return false;
    }
    print_given(k, s, folder);
    return true;
}

static int shrink(const case_command *k, int64_t budget, const char *folder) {
    assay_shrunk *s = malloc(sizeof *s);
    assay_progress progress;
    if (!s) {
        fprintf(stderr, "%s: out of memory\n", command);
        return 3;
    }
    assay_progress_start(&progress, stderr);
    const assay_shrink_options wanted = {
        .run = &k->run, .budget = budget, .on_progress = on_progress, .context = &progress};
    const assay_status status = assay_shrink(&wanted, &k->c, s);
    assay_progress_clear(&progress);
    int code = 3;
    if (status) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
    } else if (s->first.word == ASSAY_PASSED) {
        result_text_print(stdout, &s->first);
        printf("  nothing to shrink: it passes\n");
        code = 0;
    } else if (s->first.word == ASSAY_HARNESS_ERROR) {
        result_text_print(stdout, &s->first);
    } else if (print_shrunk(k, s, folder)) {
        code = 1;
    }
    assay_shrunk_free(s);
    free(s);
    return code;
}

int cmd_shrink(int argc, char **argv) {
    case_command k = {.command = command};
    const char *value = NULL, *folder = NULL;
    uint64_t budget = 0;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        bool right = true;
        if (id == CASE_HELP) {
            help();
            return 0;
        }
        if (id == OUT)
            folder = value;
        else if (id == BUDGET)
            right = options_number(command, "--budget", value, INT64_MAX, &budget);
        else
            right = case_command_take(&k, id, value);
        if (!right) return 2;
    }
    return case_command_settle(&k) ? shrink(&k, (int64_t)budget, folder) : 2;
}
