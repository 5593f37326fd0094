#include "report_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "utf8.h"
#include "version.h"
#include "whole_file.h"

struct assay_report_json {
    assay_whole_file out;
    bool failed; /* a write or an allocation failed: `error` says why */
    int error;
    bool begun, any; /* the head, a row was written */
    const assay_report_head *head;
};

static void fail(assay_report_json *r, int error) {
    if (!r->failed) r->error = error ? error : EIO;
    r->failed = true;
}

/* cJSON keeps numbers as doubles, of which it writes those that are not finite as null; counts and
 * seeds must not lose their last digits. */
static void add_count(cJSON *object, const char *key, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddRawToObject(object, key, text);
}

/* cJSON passes bytes on as they are; arguments and messages may hold bytes that are not UTF-8. */
static void add_text(cJSON *object, const char *key, const char *text) {
    char *clean = strdup(text ? text : "");
    if (!clean) return; /* the missing key shows in add_all */
    for (char *p = clean; *p;) {
        size_t n = assay_utf8_length((const unsigned char *)p);
        if (n == 0) *p = '?';
        p += n ? n : 1;
    }
    cJSON_AddStringToObject(object, key, clean);
    free(clean);
}

/* Writes an object of `members` members; fewer mean that memory ran out. Frees it. */
static void put(assay_report_json *r, cJSON *object, int members, bool open) {
    char *text =
        object && cJSON_GetArraySize(object) == members ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    if (!text) {
        fail(r, ENOMEM);
        return;
    }
    if (open) text[strlen(text) - 1] = '\0'; /* members follow */
    errno = 0;
    if (fputs(text, r->out.file) == EOF) fail(r, errno);
    cJSON_free(text);
}

static void put_text(assay_report_json *r, const char *text) {
    errno = 0;
    if (fputs(text, r->out.file) == EOF) fail(r, errno);
}

/* Not before there is something to report: a run that is refused leaves no half of a report. */
static void put_head(assay_report_json *r) {
    if (r->begun) return;
    r->begun = true;
    const assay_report_head *head = r->head;
    cJSON *o = cJSON_CreateObject();
    add_text(o, "schema", "assay.check/1");
    add_text(o, "tool", ASSAY_VERSION);
    add_text(o, "command", head->command);
    cJSON *environment = cJSON_AddObjectToObject(o, "environment");
    for (size_t i = 0; head->environment && head->environment[i]; i++) {
        char name[64];
        const char *equals = strchr(head->environment[i], '=');
        if (!equals) continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - head->environment[i]),
                 head->environment[i]);
        add_text(environment, name, equals + 1);
    }
    add_text(o, "backend", head->backend);
    add_text(o, "chip", head->chip);
    add_text(o, "level", head->level);
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, head->seed);
    cJSON_AddRawToObject(o, "seed", seed);
    put(r, o, 8, true);
    put_text(r, ",\n\"rows\":[");
}

assay_status assay_report_json_start(const char *path, FILE *out, const assay_report_head *head,
                                     assay_report_json **report) {
    assay_report_json *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(ASSAY_ERR_MEMORY, "no memory for the report %s", path);
    assay_status status = assay_whole_file_open(path, out, &r->out);
    if (status) {
        free(r);
        return status;
    }
    r->head = head;
    *report = r;
    return ASSAY_OK;
}

static void add_counters(cJSON *row, const assay_simt_counters *counters) {
    cJSON *o = cJSON_AddObjectToObject(row, "counters");
    for (size_t i = 0; o && i < assay_counter_count(); i++)
        add_count(o, assay_counter_name(i), (int64_t)assay_counter_value(counters, i));
}

void assay_report_json_row(assay_report_json *r, const assay_result *result) {
    put_head(r);
    char line[ASSAY_CASE_LINE];
    assay_case_format(&result->c, line);
    cJSON *o = cJSON_CreateObject();
    add_text(o, "case", line);
    add_text(o, "verdict", assay_word_name(result->word));
    add_text(o, "check", result->check);
    add_text(o, "kernel", result->kernel);
    add_count(o, "outputs", result->outputs);
    add_count(o, "failed_outputs", result->tally.failed);
    cJSON_AddNumberToObject(o, "slack",
                            result->slack_known ? result->tally.max_slack : (double)NAN);
    cJSON_AddNumberToObject(o, "seconds", result->seconds);
    add_text(o, "message", result->message);
    if (result->counted) add_counters(o, &result->counters);
    put_text(r, r->any ? ",\n" : "\n");
    put(r, o, result->counted ? 10 : 9, false);
    r->any = true;
}

static void put_totals(assay_report_json *r, const assay_totals *totals) {
    cJSON *o = cJSON_CreateObject();
    for (int w = 0; w < ASSAY_WORD_COUNT; w++)
        add_count(o, assay_word_key((assay_word)w), totals->words[w]);
    add_count(o, "cases", totals->cases);
    add_count(o, "outputs", totals->outputs);
    add_count(o, "launches", totals->launches);
    add_count(o, "compared_bits", totals->compared_bits);
    cJSON_AddNumberToObject(o, "max_slack", totals->max_slack);
    cJSON_AddNumberToObject(o, "seconds", totals->seconds);
    put_text(r, "\n],\n\"totals\":");
    put(r, o, ASSAY_WORD_COUNT + 6, false);
    put_text(r, "}\n");
}

assay_status assay_report_json_finish(assay_report_json *r, const assay_totals *totals) {
    put_head(r);
    put_totals(r, totals);
    assay_status status = assay_whole_file_keep(&r->out, r->failed ? r->error : 0);
    assay_report_json_discard(r);
    return status;
}

void assay_report_json_discard(assay_report_json *r) {
    if (!r) return;
    assay_whole_file_drop(&r->out);
    free(r);
}
