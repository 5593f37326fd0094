#include "mutate_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "json_file.h"
#include "text_file.h"
#include "version.h"

bool mutate_report_add(mutate_report *report, const assay_mutant_row *row) {
    if (report->count == report->capacity) {
        const size_t capacity = report->capacity ? 2 * report->capacity : 64;
        assay_mutant_row *grown = realloc(report->rows, capacity * sizeof *grown);
        if (!grown) return false;
        report->rows = grown;
        report->capacity = capacity;
    }
    report->rows[report->count++] = *row;
    return true;
}

/* Texts of a row by their JSON keys, for writing and reading alike. */
static const struct {
    const char *key;
    size_t place, size;
} texts[] = {
#define TEXT(key, field)                                                                           \
    { key, offsetof(assay_mutant_row, field), sizeof((assay_mutant_row *)0)->field }
    TEXT("id", id),           TEXT("class", class),         TEXT("file", file),
    TEXT("source", source),   TEXT("killed_by", killed_by), TEXT("case", line),
    TEXT("message", message),
#undef TEXT
};
#define TEXTS (sizeof texts / sizeof texts[0])

static cJSON *row_json(const assay_mutant_row *row) {
    cJSON *o = cJSON_CreateObject();
    char hash[20];
    for (size_t i = 0; i < TEXTS; i++)
        cJSON_AddStringToObject(o, texts[i].key, (const char *)row + texts[i].place);
    cJSON_AddStringToObject(o, "status", assay_mutant_status_name(row->status));
    cJSON_AddBoolToObject(o, "replay_only", row->replay_only);
    cJSON_AddBoolToObject(o, "declared", row->declared);
    cJSON_AddNumberToObject(o, "seconds", row->seconds);
    cJSON_AddNumberToObject(o, "build_seconds", row->build_seconds);
    snprintf(hash, sizeof hash, "%016" PRIx64, row->hash);
    cJSON_AddStringToObject(o, "hash", hash);
    return o;
}

bool mutate_report_write(const mutate_report *report, const char *path, const char *line,
                         const assay_mutate_totals *totals, bool complete) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "assay.mutate/1");
    cJSON_AddStringToObject(root, "tool", ASSAY_VERSION);
    cJSON_AddStringToObject(root, "command", line);
    cJSON_AddBoolToObject(root, "complete", complete);
    cJSON *t = cJSON_AddObjectToObject(root, "totals");
    cJSON_AddNumberToObject(t, "applied", (double)totals->applied);
    for (int s = 0; s < ASSAY_MUTANT_STATUS_COUNT; s++)
        cJSON_AddNumberToObject(t, assay_mutant_status_name((assay_mutant_status)s),
                                (double)totals->statuses[s]);
    cJSON_AddNumberToObject(t, "replay_only", (double)totals->replay_only);
    cJSON_AddNumberToObject(t, "seconds", totals->seconds);
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    for (size_t i = 0; i < report->count; i++)
        cJSON_AddItemToArray(rows, row_json(&report->rows[i]));
    return json_file_write("mutate", path, root);
}

static void read_row(const cJSON *entry, mutate_report *report) {
    assay_mutant_row row;
    memset(&row, 0, sizeof row);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(entry, texts[i].key));
        snprintf((char *)&row + texts[i].place, texts[i].size, "%s", text ? text : "");
    }
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "status"));
    const char *hash = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "hash"));
    row.status = ASSAY_MUTANT_NOT_RUN;
    for (int s = 0; status && s < ASSAY_MUTANT_STATUS_COUNT; s++)
        if (strcmp(status, assay_mutant_status_name((assay_mutant_status)s)) == 0)
            row.status = (assay_mutant_status)s;
    row.replay_only = cJSON_IsTrue(cJSON_GetObjectItem(entry, "replay_only"));
    row.declared = cJSON_IsTrue(cJSON_GetObjectItem(entry, "declared"));
    row.seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(entry, "seconds"));
    row.build_seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(entry, "build_seconds"));
    row.hash = hash ? strtoull(hash, NULL, 16) : 0;
    mutate_report_add(report, &row);
}

bool mutate_report_read(const char *path, mutate_report *report) {
    char *text;
    size_t size;
    if (assay_text_read(path, &text, &size)) {
        fprintf(stderr, "assay mutate: --resume: %s\n", assay_last_error());
        return false;
    }
    cJSON *root = cJSON_Parse(text);
    free(text);
    const char *schema = cJSON_GetStringValue(cJSON_GetObjectItem(root, "schema"));
    const bool right = schema && strcmp(schema, "assay.mutate/1") == 0;
    if (!right) fprintf(stderr, "assay mutate: --resume: %s: no assay.mutate/1 report\n", path);
    const cJSON *entry;
    if (right) cJSON_ArrayForEach(entry, cJSON_GetObjectItem(root, "rows")) read_row(entry, report);
    cJSON_Delete(root);
    return right;
}

static int by_id(const void *a, const void *b) {
    return strcmp(((const assay_mutant_row *)a)->id, ((const assay_mutant_row *)b)->id);
}

void mutate_report_print(const mutate_report *report, FILE *out, bool color) {
    int id = 6, class = 5, by = 9;
    if (report->count) qsort(report->rows, report->count, sizeof *report->rows, by_id);
    for (size_t i = 0; i < report->count; i++) {
        const assay_mutant_row *r = &report->rows[i];
        if ((int)strlen(r->id) > id) id = (int)strlen(r->id);
        if ((int)strlen(r->class) > class) class = (int)strlen(r->class);
        if ((int)strlen(r->killed_by) > by) by = (int)strlen(r->killed_by);
    }
    fprintf(out, "%-*s  %-*s  %-10s  %-*s  %s\n", id, "mutant", class, "class", "status", by,
            "killed by", "case");
    for (size_t i = 0; i < report->count; i++) {
        const assay_mutant_row *r = &report->rows[i];
        const bool killed = r->status == ASSAY_MUTANT_KILLED;
        const char *what = killed           ? (*r->line ? r->line : r->message)
                           : r->replay_only ? "other bits only"
                                            : r->message;
        fprintf(out, "%-*s  %-*s  %s%-10s%s  %-*s  %s\n", id, r->id, class, r->class,
                color ? (killed ? "\033[32m" : "\033[31m") : "",
                assay_mutant_status_name(r->status), color ? "\033[0m" : "", by, r->killed_by,
                what);
    }
}
