/* assay judge: tensors made elsewhere, against an op's oracle. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "json_file.h"
#include "judge.h"

static const char usage[] =
    "usage: assay judge OP --in NAME=FILE[:bf16] ... --out NAME=FILE[:bf16] ...\n"
    "                   [--attr KEY=VALUE ...] [--contract TEXT] [--accept FAULT,...|all]\n"
    "                   [--json FILE]\n"
    "Files are .npy; :bf16 says that their 16-bit integers are bf16.\n";

typedef struct options {
    assay_judge_request request;
    assay_judge_tensor tensors[ASSAY_MAX_TENSORS];
    char names[ASSAY_MAX_TENSORS][2][1024]; /* role, path */
    char attributes[ASSAY_CASE_LINE];
    const char *json;
} options;

static int complain(const char *what, const char *word) {
    fprintf(stderr, "assay judge: %s%s\n%s", what, word, usage);
    return 2;
}

/* "NAME=FILE" or "NAME=FILE:bf16". */
static int add_tensor(options *o, const char *text, bool output) {
    if (o->request.count == ASSAY_MAX_TENSORS) return complain("too many tensors: ", text);
    char *role = o->names[o->request.count][0], *path = o->names[o->request.count][1];
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || equal[1] == '\0')
        return complain("expected NAME=FILE, found ", text);
    const size_t role_length = (size_t)(equal - text), length = strlen(equal + 1);
    if (role_length >= 1024 || length >= 1024) return complain("too long: ", text);
    memcpy(role, text, role_length);
    memcpy(path, equal + 1, length);
    assay_judge_tensor *t = &o->tensors[o->request.count++];
    *t = (assay_judge_tensor){.role = role, .path = path, .output = output};
    if (length > 5 && strcmp(path + length - 5, ":bf16") == 0) {
        path[length - 5] = '\0';
        t->bf16 = true;
    }
    return 0;
}

static int parse(int argc, char **argv, options *o) {
    o->request.tensors = o->tensors;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (word[0] != '-') {
            if (o->request.op) return complain("one op, please; found also ", word);
            o->request.op = assay_op_find(word);
            if (!o->request.op) {
                fprintf(stderr, "assay judge: no op '%s'; there are:", word);
                for (size_t k = 0; k < assay_op_count(); k++)
                    fprintf(stderr, " %s", assay_op_at(k)->name);
                fprintf(stderr, "\n");
                return 2;
            }
            continue;
        }
        const char *const known[] = {"--in", "--out", "--attr", "--contract", "--accept", "--json"};
        size_t which = 0;
        while (which < 6 && strcmp(word, known[which]) != 0) which++;
        if (which == 6) return complain("unknown option ", word);
        if (!value) return complain("no value after ", word);
        i++;
        int code = 0;
        const size_t used = strlen(o->attributes);
        switch (which) {
        case 0:
        case 1: code = add_tensor(o, value, which == 1); break;
        case 2:
            if (used + strlen(value) + 2 > sizeof o->attributes)
                return complain("too long: ", value);
            snprintf(o->attributes + used, sizeof o->attributes - used, " %s", value);
            o->request.attributes = o->attributes;
            break;
        case 3: o->request.contract = value; break;
        case 4: o->request.accept = value; break;
        default: o->json = value; break;
        }
        if (code) return code;
    }
    if (!o->request.op) return complain("which op?", "");
    return o->request.count ? 0 : complain("no tensors", "");
}

/* The case without what says nothing about files: how a generator would have made them. */
static void case_line(const assay_case *c, char line[ASSAY_CASE_LINE]) {
    static const char *const made[] = {"data", "seed", NULL};
    assay_case_format_without(c, made, line);
}

static void print(FILE *out, const options *o, const assay_judgement *v) {
    char line[ASSAY_CASE_LINE];
    case_line(&v->result.c, line);
    fprintf(out, "%s  %s\n", assay_word_name(v->result.word), line);
    for (const char *at = v->result.message; *at;) {
        const int length = (int)strcspn(at, "\n");
        fprintf(out, "  %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    const assay_tally *t = &v->result.tally;
    fprintf(out,
            "  outputs   %" PRId64 " judged, %" PRId64 " out of bounds, %" PRId64
            " with wide bounds, %" PRId64 " undetermined; %.3f s\n",
            v->result.outputs, t->failed, t->ill, t->indeterminate, v->result.seconds);
    if (v->result.slack_known)
        fprintf(out, "  slack     largest error / bound %.3g, at element %" PRId64 "\n",
                t->max_slack, t->max_slack_at);
    else
        fprintf(out, "  slack     unknown: '%s' is stored rounded\n", v->output);
    fprintf(out, "  contract  %s%s\n", v->contract,
            o->request.contract ? "" : ", assumed: nothing is known of what made these tensors");
    if (!o->request.contract && o->request.op->contract_help)
        fprintf(out, "            --contract may say: %s\n", o->request.op->contract_help);
    if (v->blind[0] && v->result.word == ASSAY_PASSED)
        fprintf(out, "  blind to  %s (accepted)\n", v->blind);
    if (v->result.word == ASSAY_MISTRUSTED)
        fprintf(out,
                "            inputs that show them make this a verdict; or accept the gap:\n"
                "            --accept all, or those of: %s\n",
                v->blind);
}

static void add_worst(cJSON *into, const assay_judgement *v) {
    const assay_tally *t = &v->result.tally;
    if (t->worst_at < 0) {
        cJSON_AddNullToObject(into, "worst");
        return;
    }
    assay_tensor tensors[ASSAY_MAX_TENSORS];
    size_t count = 0, k = 0;
    if (v->result.c.op->describe(&v->result.c, tensors, &count) != ASSAY_OK) return;
    while (k < count && strcmp(tensors[k].role, v->output) != 0) k++;
    if (k == count) return;
    const int64_t columns = tensors[k].shape[tensors[k].rank - 1];
    cJSON *worst = cJSON_AddObjectToObject(into, "worst");
    cJSON_AddNumberToObject(worst, "row", (double)(t->worst_at / columns));
    cJSON_AddNumberToObject(worst, "column", (double)(t->worst_at % columns));
    cJSON_AddNumberToObject(worst, "bits", t->worst_got);
    cJSON_AddNumberToObject(worst, "exact", t->worst.y); /* null when NaN is due */
    cJSON_AddNumberToObject(worst, "lo", t->worst.lo);
    cJSON_AddNumberToObject(worst, "hi", t->worst.hi);
    cJSON_AddNumberToObject(worst, "error_over_bound", t->worst_ratio);
}

static cJSON *report(const options *o, const assay_judgement *v) {
    char line[ASSAY_CASE_LINE];
    case_line(&v->result.c, line);
    const assay_tally *t = &v->result.tally;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "assay.judge/1");
    cJSON *totals = cJSON_AddObjectToObject(root, "totals");
    for (int word = 0; word < ASSAY_WORD_COUNT; word++)
        cJSON_AddNumberToObject(totals, assay_word_key((assay_word)word),
                                v->result.word == (assay_word)word);
    cJSON_AddNumberToObject(totals, "outputs", (double)v->result.outputs);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "rows"), row);
    cJSON_AddStringToObject(row, "case", line);
    cJSON_AddStringToObject(row, "word", assay_word_name(v->result.word));
    cJSON_AddStringToObject(row, "contract", v->contract);
    cJSON_AddBoolToObject(row, "contract_assumed", !o->request.contract);
    cJSON_AddStringToObject(row, "blind", v->blind);
    cJSON_AddStringToObject(row, "output", v->output);
    cJSON_AddNumberToObject(row, "failed", (double)t->failed);
    cJSON_AddNumberToObject(row, "ill", (double)t->ill);
    cJSON_AddNumberToObject(row, "indeterminate", (double)t->indeterminate);
    if (v->result.slack_known)
        cJSON_AddNumberToObject(row, "max_slack", t->max_slack);
    else
        cJSON_AddNullToObject(row, "max_slack");
    add_worst(row, v);
    cJSON_AddStringToObject(row, "message", v->result.message);
    cJSON *files = cJSON_AddObjectToObject(row, "files");
    for (size_t i = 0; i < o->request.count; i++)
        cJSON_AddStringToObject(files, o->tensors[i].role, o->tensors[i].path);
    return root;
}

/* The files are mapped; one that its owner rewrites meanwhile takes its pages away. */
static void lost_page(int signal_number) {
    static const char text[] =
        "assay judge: an input file was shortened or became unreadable while it was read\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(3);
    _exit(3);
}

static int exit_code(assay_word word) {
    assay_totals totals = {0};
    const assay_result result = {.word = word};
    assay_totals_add(&totals, &result);
    return assay_totals_exit_code(&totals);
}

int cmd_judge(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    static options o;
    const int code = parse(argc, argv, &o);
    if (code) return code;
    signal(SIGBUS, lost_page);

    static assay_judgement verdict;
    const assay_status status = assay_judge(&o.request, &verdict);
    if (status) {
        fprintf(stderr, "assay judge: %s\n", assay_last_error());
        verdict.result.word = ASSAY_HARNESS_ERROR;
        snprintf(verdict.result.message, sizeof verdict.result.message, "%s", assay_last_error());
    } else {
        print(json_file_text(o.json), &o, &verdict);
    }
    if (o.json && !json_file_write("judge", o.json, report(&o, &verdict))) return 3;
    if (status) return status == ASSAY_ERR_ARGUMENT ? 2 : 3;
    return exit_code(verdict.result.word);
}
