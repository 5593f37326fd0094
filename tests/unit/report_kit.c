#include "report_kit.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_file.h"

static const char *const environment[] = {"ASSAY_SEED=<5>", NULL};
static const assay_report_head head = {.command = "assay check <\"'>",
                                       .backend = "simt",
                                       .chip = "h200",
                                       .level = "ci",
                                       .seed = UINT64_MAX,
                                       .environment = environment};

void report_kit_add(report_kit *k, const char *line, assay_word word, const char *check,
                    const char *message, double slack) {
    static assay_result r;
    r = (assay_result){.word = word, .backend = "simt", .check = check, .outputs = 10};
    cr_assert_eq(assay_case_parse(line, &r.c), ASSAY_OK, "%s", assay_last_error());
    r.slack_known = !isnan(slack);
    r.tally.max_slack = r.slack_known ? slack : 0;
    r.tally.failed = word == ASSAY_FAILED;
    r.seconds = 0.5;
    snprintf(r.kernel, sizeof r.kernel, "toy<%s>", assay_case_word(&r.c, "dt"));
    snprintf(r.message, sizeof r.message, "%s", message);
    assay_totals_add(&k->totals, &r);
    assay_report_rows_add(&k->rows, &r);
}

void report_kit_start(report_kit *k) {
    *k = (report_kit){.text = NULL};
    k->report = (assay_report){
        .head = &head, .totals = &k->totals, .rows = &k->rows, .repro = "assay repro --x"};
    strcpy(k->folder, "/tmp/assay-report-XXXXXX");
    cr_assert_not_null(mkdtemp(k->folder));
    snprintf(k->path, sizeof k->path, "%s/report", k->folder);
    report_kit_add(k, "toy rows=1", ASSAY_PASSED, "", "", 0.75);
    report_kit_add(k, "toy rows=2", ASSAY_FAILED, "bounds",
                   "y: <script>alert(1)</script> & ]]>\nsecond \x01 line", 0.25);
    report_kit_add(k, "toy rows=3", ASSAY_HARNESS_ERROR, "", "no device", NAN);
    report_kit_add(k, "toy dt=bf16", ASSAY_REFUSED, "launch", "not today", NAN);
    report_kit_add(k, "toy rows=4", ASSAY_MISTRUSTED, "trust", "no_eps", 0);
    report_kit_add(k, "toy rows=9", ASSAY_PASSED, "", "", NAN);
    report_kit_add(k, "other seq=3", ASSAY_SKIPPED, "", "no GPU", NAN);
}

void report_kit_end(report_kit *k) {
    assay_report_rows_free(&k->rows);
    free(k->text);
    unlink(k->path);
    rmdir(k->folder);
}

const char *report_kit_write(report_kit *k,
                             assay_status (*write)(const char *, const assay_report *)) {
    size_t size;
    int files = 0;
    free(k->text);
    cr_assert_eq(write(k->path, &k->report), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_text_read(k->path, &k->text, &size), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(strlen(k->text), size);
    DIR *folder = opendir(k->folder);
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder))
        files += e->d_name[0] != '.';
    closedir(folder);
    cr_assert_eq(files, 1, "a temporary file is left");
    return k->text;
}

int report_kit_count(const char *text, const char *part) {
    int count = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + strlen(part), part)) count++;
    return count;
}
