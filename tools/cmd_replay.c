/* assay replay: holds the executor against digests recorded on a chip. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "digests.h"
#include "json_file.h"
#include "options.h"

static const char command[] = "assay replay";

/* Digests whose bits were changed on purpose with no chip at hand: more than this share fails. */
#define STALE_PERCENT 5

enum { HELP = 1, JSON, JOBS };
static const option_spec specs[] = {
    {JSON, "--json", "FILE", "also write a report; '-': to standard output"},
    {JOBS, "--jobs", "N", "host threads (default 0: one per CPU)"},
    {HELP, "--help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

typedef struct replay {
    FILE *out; /* for people: standard output, or standard error beside --json - */
    cJSON *rows;
    int64_t shown;
} replay;

static void on_row(const assay_digest *digest, const char *word, const char *message,
                   void *context) {
    replay *r = context;
    char line[ASSAY_CASE_LINE];
    assay_case_format(&digest->c, line);
    if (r->shown++ < 20) fprintf(r->out, "%s %s\n  %s\n", word, line, message);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "case", line);
    cJSON_AddStringToObject(row, "verdict", word);
    cJSON_AddStringToObject(row, "message", message);
    cJSON_AddItemToArray(r->rows, row);
}

static int is_digest_file(const struct dirent *entry) {
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 &&
           strcmp(entry->d_name, "stale.json") != 0;
}

static bool replay_file(const char *path, int jobs, replay *r, assay_replay_totals *totals) {
    assay_digest_file file;
    if (assay_digests_read(path, &file)) {
        fprintf(stderr, "%s: %s\n", command, assay_last_error());
        return false;
    }
    const assay_status status = assay_digests_replay(&file, jobs, on_row, r, totals);
    if (status) fprintf(stderr, "%s: %s\n", command, assay_last_error());
    fprintf(r->out, "%s: %zu digests of %s (%s, driver %s, toolkit %s, %s)%s\n", path, file.count,
            file.chip, file.device, file.driver, file.toolkit, file.date,
            strcmp(file.source, assay_kernel_source_hash()) == 0
                ? ""
                : "; kernel sources have changed since");
    assay_digests_free(&file);
    return status == ASSAY_OK;
}

/* Every digest file of the folder, in name order; -1: told what is wrong. */
static int replay_folder(const char *folder, int jobs, replay *r, assay_replay_totals *totals) {
    struct dirent **names;
    const int count = scandir(folder, &names, is_digest_file, alphasort);
    if (count < 0) {
        fprintf(stderr, "%s: %s: is no folder that can be read\n", command, folder);
        return -1;
    }
    int right = count;
    for (int i = 0; i < count; i++) {
        char path[512];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (right >= 0 && (length >= (int)sizeof path || !replay_file(path, jobs, r, totals)))
            right = -1;
        free(names[i]);
    }
    free(names);
    return right;
}

static bool report(const char *path, const char *folder, replay *r,
                   const assay_replay_totals *totals) {
    cJSON *root = cJSON_CreateObject(), *sums = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "assay.replay/1");
    cJSON_AddStringToObject(root, "folder", folder);
    cJSON_AddNumberToObject(sums, "digests", (double)totals->digests);
    cJSON_AddNumberToObject(sums, "outputs", (double)totals->outputs);
    cJSON_AddNumberToObject(sums, "differing", (double)totals->differing);
    cJSON_AddNumberToObject(sums, "stale", (double)totals->stale);
    cJSON_AddNumberToObject(sums, "changed_inputs", (double)totals->changed_inputs);
    cJSON_AddItemToObject(root, "totals", sums);
    cJSON_AddItemToObject(root, "rows", r->rows);
    r->rows = NULL;
    return json_file_write(command, path, root);
}

int cmd_replay(int argc, char **argv) {
    const char *folder = NULL, *json = NULL, *value = NULL;
    uint64_t jobs = 0;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        if (id == HELP) {
            printf("usage: assay replay FOLDER [OPTION...]\n\nRuns every digest of FOLDER on the "
                   "executor and compares with what the chip gave.\n\n");
            options_help(stdout, specs);
            return 0;
        }
        if (id == JSON) {
            json = value;
        } else if (id == JOBS) {
            if (!options_number(command, "--jobs", value, 1024, &jobs)) return 2;
        } else if (id == OPTION_ARGUMENT && !folder) {
            folder = value;
        } else {
            if (id == OPTION_ARGUMENT)
                fprintf(stderr, "%s: one folder is expected, not also '%s'\n", command, value);
            return 2;
        }
    }
    if (!folder) {
        fprintf(stderr, "%s: which folder? usage: assay replay FOLDER [--json FILE]\n", command);
        return 2;
    }
    replay r = {.out = json && strcmp(json, "-") == 0 ? stderr : stdout,
                .rows = cJSON_CreateArray()};
    assay_replay_totals totals = {0};
    const int files = replay_folder(folder, (int)jobs, &r, &totals);
    int code = files < 0 ? 3 : 0;
    if (files == 0) {
        fprintf(stderr, "%s: %s: no digest files\n", command, folder);
        code = 2;
    }
    const bool too_stale = totals.stale * 100 > totals.digests * STALE_PERCENT;
    if (!code && totals.changed_inputs) code = 3;
    if (!code && (totals.differing || too_stale)) code = 1;
    if (!code || code == 1)
        fprintf(r.out, "%s: %lld digests, %lld outputs, %lld differing, %lld stale%s\n",
                code ? "FAILED" : "PASSED", (long long)totals.digests, (long long)totals.outputs,
                (long long)totals.differing, (long long)totals.stale,
                too_stale ? " (more than 5 %)" : "");
    if (json && files > 0 && !report(json, folder, &r, &totals)) code = 3;
    cJSON_Delete(r.rows);
    return code;
}
