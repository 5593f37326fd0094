/* assay list: one item a line, so that other tools can read it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "assay/kernel.h"
#include "commands.h"
#include "filter.h"
#include "op.h"
#include "options.h"

static const char command[] = "assay list";

enum { HELP = 1, LEVEL };
static const option_spec specs[] = {
    {LEVEL, "--level", "smoke|ci|nightly", "which cases (default ci)"},
    {HELP, "--help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

static const char *const kinds[] = {"ops", "cases", "kernels", "data", NULL};
enum { OPS, CASES, KERNELS, DATA };

typedef struct listing {
    const filter *filter;
    bool failed;
    int64_t count;
} listing;

/* Items without attributes: every word of the filter is a part of the line. */
static void put(listing *l, const char *line) {
    for (size_t i = 0; i < l->filter->count; i++)
        if (!strstr(line, l->filter->words[i])) return;
    puts(line);
    l->count++;
}

static bool put_case(const assay_case *c, void *context) {
    listing *l = context;
    bool matches = false;
    if (assay_case_matches(c, l->filter->words, l->filter->count, &matches)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        l->failed = true;
        return false;
    }
    if (!matches) return true;
    char line[ASSAY_CASE_LINE];
    assay_case_format(c, line);
    puts(line);
    l->count++;
    return !ferror(stdout);
}

static void put_data(listing *l, const assay_op *op) {
    char line[ASSAY_CASE_LINE];
    for (size_t i = 0; i < op->attr_count; i++) {
        const assay_attr *attr = &op->attrs[i];
        if (attr->kind != ASSAY_ATTR_WORD || strcmp(attr->key, "data") != 0) continue;
        for (size_t k = 0; attr->words[k]; k++) {
            snprintf(line, sizeof line, "%s data=%s", op->name, attr->words[k]);
            put(l, line);
        }
    }
}

static void put_kernels(listing *l) {
    char line[512];
    for (size_t i = 0; i < assay_kernel_count(); i++) {
        const assay_kernel *k = assay_kernel_at(i);
        snprintf(line, sizeof line, "%s %s %s", k->op, k->dtypes, k->archs);
        put(l, line);
    }
}

static int list(int kind, assay_level level, const filter *f) {
    listing l = {.filter = f};
    char line[512];
    for (size_t i = 0; kind != KERNELS && i < assay_op_count() && !l.failed; i++) {
        const assay_op *op = assay_op_at(i);
        if (kind == CASES)
            op->grid(level, put_case, &l);
        else if (kind == DATA)
            put_data(&l, op);
        else {
            snprintf(line, sizeof line, "%s  %s", op->name, op->summary);
            put(&l, line);
        }
    }
    if (kind == KERNELS) put_kernels(&l);
    if (l.failed) return 2;
    if (l.count == 0) {
        fprintf(stderr, "%s: no %s match the filter\n", command, kinds[kind]);
        return 2;
    }
    return 0;
}

static void help(void) {
    printf("usage: assay list [ops|cases|kernels|data] [FILTER...]\n\n"
           "One item a line: ops with their formula (the default), canonical case lines, kernel\n"
           "instances with dtypes and architectures, the data words of each op. Cases take the\n"
           "filters of assay check; of the others every word must be a part of the line.\n\n");
    options_help(stdout, specs);
}

int cmd_list(int argc, char **argv) {
    options o = options_start(command, specs, argc, argv);
    const char *value = NULL;
    int kind = -1, level = ASSAY_CI;
    filter f = {.count = 0};
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        switch (id) {
        case HELP: help(); return 0;
        case LEVEL: level = options_choice(command, "level", value, filter_levels); break;
        case OPTION_ARGUMENT:
            if (kind < 0)
                kind = options_choice(command, "kind of item", value, kinds);
            else if (!filter_add(&f, command, value))
                return 2;
            break;
        default: return 2;
        }
        if (level < 0 || (id == OPTION_ARGUMENT && kind < 0)) return 2;
    }
    return list(kind < 0 ? OPS : kind, (assay_level)level, &f);
}
