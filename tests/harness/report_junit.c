/* JUnit XML, as CI services read it. */
#include <inttypes.h>
#include <string.h>

#include "markup.h"
#include "report_files.h"
#include "version.h"
#include "whole_file.h"

/* Cases of one suite: convention does not part them. */
typedef struct suite {
    const char *op, *dtype;
    assay_totals totals;
} suite;

static int64_t failures(const assay_totals *t) {
    return t->words[ASSAY_FAILED] + t->words[ASSAY_MISTRUSTED] + t->words[ASSAY_ILL_CONDITIONED] +
           t->words[ASSAY_REFUSED];
}

static void put_counts(FILE *out, const assay_totals *t) {
    fprintf(out,
            " tests=\"%" PRId64 "\" failures=\"%" PRId64 "\" errors=\"%" PRId64
            "\" skipped=\"%" PRId64 "\" time=\"%.3f\"",
            t->cases, failures(t), t->words[ASSAY_HARNESS_ERROR], t->words[ASSAY_SKIPPED],
            t->seconds);
}

static void put_property(FILE *out, const char *name, const char *value) {
    fprintf(out, "      <property name=\"%s\" value=\"", name);
    assay_markup_attribute(out, value ? value : "");
    fputs("\"/>\n", out);
}

static void put_properties(FILE *out, const assay_report_head *head) {
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, head->seed);
    fputs("    <properties>\n", out);
    put_property(out, "tool", "assay " ASSAY_VERSION);
    put_property(out, "command", head->command);
    put_property(out, "backend", head->backend);
    put_property(out, "chip", head->chip);
    put_property(out, "level", head->level);
    put_property(out, "seed", seed);
    for (size_t i = 0; head->environment && head->environment[i]; i++)
        put_property(out, "environment", head->environment[i]);
    fputs("    </properties>\n", out);
}

/* The check and the first line of the text: what a CI page shows before one opens it. */
static void put_short(FILE *out, const assay_report_row *row) {
    char first[256];
    const char *message = row->message ? row->message : "";
    snprintf(first, sizeof first, "%.*s", (int)strcspn(message, "\n"), message);
    assay_markup_attribute(out, row->check);
    if (row->check[0] && first[0]) fputs(": ", out);
    assay_markup_attribute(out, first);
}

static void put_trouble(FILE *out, const assay_report *report, const assay_report_row *row) {
    char repro[2048];
    const char *element = row->word == ASSAY_HARNESS_ERROR ? "error" : "failure";
    assay_report_repro(report->repro, row->word, &row->c, repro, sizeof repro);
    fprintf(out, "      <%s type=\"%s\" message=\"", element, assay_word_name(row->word));
    put_short(out, row);
    fputs("\">", out);
    assay_markup_text(out, row->message ? row->message : "");
    if (row->kernel[0]) fputs("\nkernel: ", out);
    assay_markup_text(out, row->kernel);
    fputs("\nrepro: ", out);
    assay_markup_text(out, repro);
    fprintf(out, "</%s>\n", element);
}

static void put_case(FILE *out, const assay_report *report, const suite *s,
                     const assay_report_row *row) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(&row->c, line);
    fputs("    <testcase name=\"", out);
    assay_markup_attribute(out, line);
    fprintf(out, "\" classname=\"%s.%s\" time=\"%.6f\"", s->op, s->dtype, row->seconds);
    if (row->word == ASSAY_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (row->word == ASSAY_SKIPPED) {
        fputs("      <skipped message=\"", out);
        put_short(out, row);
        fputs("\"/>\n", out);
    } else {
        put_trouble(out, report, row);
    }
    fputs("    </testcase>\n", out);
}

static void join(assay_totals *into, const assay_totals *part) {
    for (int w = 0; w < ASSAY_WORD_COUNT; w++) into->words[w] += part->words[w];
    into->cases += part->cases;
    into->seconds += part->seconds;
}

static size_t find_suites(const assay_report_rows *rows, suite suites[ASSAY_REPORT_GROUPS]) {
    static _Thread_local assay_report_group groups[ASSAY_REPORT_GROUPS];
    const size_t group_count = assay_report_groups(rows, groups);
    size_t count = 0;
    for (size_t g = 0; g < group_count; g++) {
        size_t i = 0;
        while (i < count && (suites[i].op != groups[g].op || suites[i].dtype != groups[g].dtype))
            i++;
        if (i == count) suites[count++] = (suite){.op = groups[g].op, .dtype = groups[g].dtype};
        join(&suites[i].totals, &groups[g].totals);
    }
    return count;
}

static bool in_suite(const assay_report_row *row, const suite *s) {
    for (size_t i = 0; i < row->c.op->attr_count; i++) {
        const assay_attr *attr = &row->c.op->attrs[i];
        if (attr->kind == ASSAY_ATTR_WORD && strcmp(attr->key, "dt") == 0)
            return row->c.op->name == s->op && attr->words[row->c.value[i].i] == s->dtype;
    }
    return row->c.op->name == s->op && strcmp(s->dtype, "-") == 0;
}

static void write_all(FILE *out, const assay_report *report) {
    static _Thread_local suite suites[ASSAY_REPORT_GROUPS];
    const size_t count = find_suites(report->rows, suites);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay check\"", out);
    put_counts(out, report->totals);
    fputs(">\n", out);
    for (size_t s = 0; s < count; s++) {
        fprintf(out, "  <testsuite name=\"%s.%s\"", suites[s].op, suites[s].dtype);
        put_counts(out, &suites[s].totals);
        fputs(">\n", out);
        put_properties(out, report->head);
        for (size_t i = 0; i < report->rows->count; i++)
            if (in_suite(&report->rows->rows[i], &suites[s]))
                put_case(out, report, &suites[s], &report->rows->rows[i]);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}

assay_status assay_report_junit(const char *path, const assay_report *report) {
    assay_whole_file file;
    if (report->rows->lost)
        return assay_fail(ASSAY_ERR_MEMORY, "no memory for the report %s", path);
    const assay_status status = assay_whole_file_open(path, stdout, &file);
    if (status) return status;
    write_all(file.file, report);
    return assay_whole_file_keep(&file, 0);
}
