#include "toy_run.h"

#include <stdio.h>
#include <string.h>

#include "check_reports.h"
#include "digest_folder.h"
#include "toy_op.h"

assay_run_options toy_run_seen;
int64_t toy_run_stops_after;
assay_status toy_run_stops_with = ASSAY_OK;

const char *toy_command_ran = "";
int toy_digests_noted;
bool toy_digests_kept;
assay_status toy_digests_status = ASSAY_OK;

void digest_folder_add(digest_folder *d, const assay_result *r) {
    (void)r;
    toy_digests_noted += d->folder != NULL;
}

assay_status digest_folder_finish(digest_folder *d, bool keep) {
    if (!d->folder || !keep) return ASSAY_OK;
    if (toy_digests_status) return assay_fail(toy_digests_status, "the toy digests fail");
    toy_digests_kept = true;
    return ASSAY_OK;
}

int toy_reports_noted, toy_reports_written;
bool toy_reports_fail;

void check_reports_add(check_reports *r, const assay_result *result) {
    (void)result;
    toy_reports_noted += r->junit || r->markdown;
}

bool check_reports_on_stdout(const check_reports *r) {
    return r->markdown && strcmp(r->markdown, "-") == 0;
}

bool check_reports_write(const check_reports *r, const char *command, const assay_run_options *run,
                         const assay_report_head *head, const assay_totals *totals,
                         const char *repro) {
    (void)r, (void)command, (void)run, (void)head, (void)totals, (void)repro;
    toy_reports_written++;
    return !toy_reports_fail;
}

void check_reports_free(check_reports *r) { (void)r; }

static assay_status run_one(const assay_run_options *options, const assay_case *c,
                            assay_totals *totals) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(c, line);
    if (options->on_progress) options->on_progress(totals->cases, 10, line, options->context);
    if (toy_run_stops_with && totals->cases == toy_run_stops_after)
        return assay_fail(toy_run_stops_with, "the toy runner stops");
    assay_result r = {.c = *c, .backend = assay_backend_name(options->backend), .check = ""};
    assay_tally_start(&r.tally);
    r.outputs = 1000;
    r.launches = 2;
    r.seconds = 0.25;
    snprintf(r.kernel, sizeof r.kernel, "toy<%s>", assay_case_word(c, "dt"));
    r.slack_known = strcmp(assay_case_word(c, "dt"), "f32") == 0;
    r.tally.max_slack = 0.5;
    int64_t seed = c->op == &toy ? assay_case_int(c, "seed") : 0;
    if (seed > 100 && seed < 100 + ASSAY_WORD_COUNT) {
        r.word = (assay_word)(seed - 100);
        r.check = "bounds";
        r.tally.failed = 3;
        snprintf(r.message, sizeof r.message, "first line\nsecond line");
    }
    assay_totals_add(totals, &r);
    if (options->on_result) options->on_result(&r, options->context);
    return ASSAY_OK;
}

typedef struct selection {
    const assay_run_options *options;
    assay_totals *totals;
    assay_status status;
} selection;

static bool take(const assay_case *c, void *context) {
    selection *s = context;
    bool matches = false;
    s->status = assay_case_matches(c, s->options->filter, s->options->filter_count, &matches);
    if (s->status == ASSAY_OK && matches) s->status = run_one(s->options, c, s->totals);
    return s->status == ASSAY_OK;
}

assay_status assay_run(const assay_run_options *options, assay_totals *totals) {
    selection s = {options, totals, ASSAY_OK};
    toy_run_seen = *options;
    for (size_t i = 0; i < assay_op_count() && s.status == ASSAY_OK; i++)
        assay_op_at(i)->grid(options->level, take, &s);
    if (s.status == ASSAY_OK && totals->cases == 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "no case matches the filter");
    return s.status;
}

assay_status assay_run_cases(const assay_run_options *options, const assay_case *cases,
                             size_t count, assay_totals *totals) {
    toy_run_seen = *options;
    for (size_t i = 0; i < count; i++) {
        assay_status status = run_one(options, &cases[i], totals);
        if (status) return status;
    }
    return ASSAY_OK;
}

static const assay_kernel kernels[] = {{"toy", "f32->f32", "sm_80 gfx942"},
                                       {"toy", "bf16->f32", "sm_90a"}};

size_t assay_kernel_count(void) { return sizeof kernels / sizeof kernels[0]; }

const assay_kernel *assay_kernel_at(size_t index) {
    return index < assay_kernel_count() ? &kernels[index] : NULL;
}

static const char *const backends[ASSAY_BACKEND_COUNT] = {"simt", "cuda", "hip"};

const char *assay_backend_name(assay_backend backend) { return backends[backend]; }

bool assay_backend_parse(const char *name, assay_backend *backend) {
    for (int i = 0; i < ASSAY_BACKEND_COUNT; i++) {
        if (strcmp(name, backends[i]) != 0) continue;
        *backend = (assay_backend)i;
        return true;
    }
    return false;
}
