/* assay bench: times cases on a device. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "commands.h"
#include "json_file.h"
#include "options.h"
#include "runner.h"

static const char command[] = "assay bench";

enum { HELP = 1, BACKEND, JSON };
static const option_spec specs[] = {
    {BACKEND, "--backend", "NAME", "cuda (default) or hip"},
    {JSON, "--json", "FILE", "also write a report; '-': to standard output"},
    {HELP, "--help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

/* Shapes of the literature, without a filter: long batches, head norms, decode, long rows, tails.
 */
static const char *const shapes[] = {
    "rms_norm dt=bf16 rows=131072 d=4096", "rms_norm dt=bf16 rows=16384 d=4096",
    "rms_norm dt=bf16 rows=8192 d=8192",   "rms_norm dt=bf16 rows=4096 d=16384",
    "rms_norm dt=bf16 rows=2048 d=4096",   "rms_norm dt=bf16 rows=8192 d=5120",
    "rms_norm dt=bf16 rows=131072 d=128",  "rms_norm dt=bf16 rows=1048576 d=128",
    "rms_norm dt=bf16 rows=16384 d=1024",  "rms_norm dt=bf16 rows=4096 d=32768",
    "rms_norm dt=bf16 rows=1024 d=131072", "rms_norm dt=bf16 rows=512 d=262144",
    "rms_norm dt=bf16 rows=16384 d=4100",  "rms_norm dt=bf16 rows=8 d=4096",
    "rms_norm dt=f32 rows=16384 d=4096",   "rms_norm dt=f16 rows=16384 d=4096",
};

static cJSON *row_json(const assay_bench_row *row) {
    char line[ASSAY_CASE_LINE];
    cJSON *o = cJSON_CreateObject();
    assay_case_format(&row->c, line);
    cJSON_AddStringToObject(o, "case", line);
    cJSON_AddStringToObject(o, "impl", row->kernel);
    cJSON_AddNumberToObject(o, "median_us", row->median_us);
    cJSON_AddNumberToObject(o, "p10_us", row->p10_us);
    cJSON_AddNumberToObject(o, "p90_us", row->p90_us);
    cJSON_AddNumberToObject(o, "bytes", (double)row->bytes);
    cJSON_AddNumberToObject(o, "gb_per_s", (double)row->bytes / row->median_us * 1e-3);
    cJSON_AddNumberToObject(o, "copy_us", row->copy_us);
    cJSON_AddNumberToObject(o, "ratio_to_copy", row->ratio_to_copy);
    cJSON_AddNumberToObject(o, "ratio_low", row->ratio_low);
    cJSON_AddNumberToObject(o, "ratio_high", row->ratio_high);
    cJSON_AddNumberToObject(o, "copies", row->copies);
    cJSON_AddNumberToObject(o, "validated", (double)row->validated);
    return o;
}

static int bench_lines(assay_backend backend, const char *const *lines, size_t count,
                       const char *json) {
    FILE *out = json && strcmp(json, "-") == 0 ? stderr : stdout;
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_CreateArray();
    int code = 0;
    cJSON_AddStringToObject(root, "schema", "assay.bench/1");
    cJSON_AddStringToObject(root, "backend", assay_backend_name(backend));
    fprintf(out, "%-52s %10s %8s %10s %7s\n", "case", "median us", "GB/s", "copy us", "ratio");
    for (size_t i = 0; i < count && !code; i++) {
        assay_case c;
        assay_bench_row row;
        if (assay_case_parse(lines[i], &c)) {
            fprintf(stderr, "%s: %s\n", command, assay_last_error());
            code = 2;
            break;
        }
        if (assay_bench(backend, &c, &row)) {
            fprintf(stderr, "%s: %s: %s\n", command, lines[i], assay_last_error());
            code = 3;
            break;
        }
        fprintf(out, "%-52s %10.2f %8.0f %10.2f %7.3f\n", lines[i], row.median_us,
                (double)row.bytes / row.median_us * 1e-3, row.copy_us, row.ratio_to_copy);
        fflush(out);
        cJSON_AddItemToArray(rows, row_json(&row));
    }
    cJSON_AddItemToObject(root, "rows", rows);
    if (json && !code) {
        if (!json_file_write(command, json, root)) code = 3;
    } else {
        cJSON_Delete(root);
    }
    return code;
}

int cmd_bench(int argc, char **argv) {
    const char *json = NULL, *value = NULL, *lines[64];
    size_t count = 0;
    assay_backend backend = ASSAY_CUDA;
    options o = options_start(command, specs, argc, argv);
    for (int id; (id = options_next(&o, &value)) != OPTION_END;) {
        switch (id) {
        case HELP:
            printf("usage: assay bench [CASE...] [OPTION...]\n\nTimes each case on the device; "
                   "without one, the shapes of the literature.\nThe ratio is the copy's time over "
                   "the kernel's: 1 is the speed of a copy.\n\n");
            options_help(stdout, specs);
            return 0;
        case JSON: json = value; break;
        case BACKEND:
            if (!assay_backend_parse(value, &backend)) {
                fprintf(stderr, "%s: --backend: '%s' is not cuda or hip\n", command, value);
                return 2;
            }
            break;
        case OPTION_ARGUMENT:
            if (count == 64) {
                fprintf(stderr, "%s: more than 64 cases\n", command);
                return 2;
            }
            lines[count++] = value;
            break;
        default: return 2;
        }
    }
    char why[512];
    if (!assay_backend_usable(backend, why, sizeof why)) {
        fprintf(stderr, "%s: skipped: %s\n", command, why);
        return 77;
    }
    return count ? bench_lines(backend, lines, count, json)
                 : bench_lines(backend, shapes, sizeof shapes / sizeof shapes[0], json);
}
