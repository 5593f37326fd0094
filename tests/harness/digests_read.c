#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "digests.h"

#define LARGEST_FILE (INT64_C(256) << 20)

/* The whole file, NUL-terminated; the caller frees it. */
static assay_status read_text(const char *path, char **text) {
    FILE *f = fopen(path, "rb");
    if (!f) return assay_fail(ASSAY_ERR_IO, "%s: cannot be opened", path);
    assay_status status = ASSAY_OK;
    long size = -1;
    if (fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    rewind(f);
    if (size < 0 || size > LARGEST_FILE) {
        status = assay_fail(ASSAY_ERR_IO, "%s: is no file of 0 to 256 MiB", path);
    } else {
        *text = malloc((size_t)size + 1);
        if (!*text) {
            status = assay_fail(ASSAY_ERR_MEMORY, "%s: no memory for %ld bytes", path, size);
        } else if (fread(*text, 1, (size_t)size, f) != (size_t)size) {
            free(*text);
            status = assay_fail(ASSAY_ERR_IO, "%s: could not be read whole", path);
        } else {
            (*text)[size] = '\0';
        }
    }
    fclose(f);
    return status;
}

static assay_status parse(const char *path, cJSON **root) {
    char *text = NULL;
    const assay_status status = read_text(path, &text);
    if (status) return status;
    const char *end = NULL;
    *root = cJSON_ParseWithOpts(text, &end, 1);
    const long offset = end ? (long)(end - text) : 0;
    free(text);
    if (*root) return ASSAY_OK;
    return assay_fail(ASSAY_ERR_FORMAT, "%s: no JSON, at byte offset %ld", path, offset);
}

/* Copies a string member into a buffer; false when it is missing, no string or too long. */
static bool copy_member(const cJSON *object, const char *key, char *to, size_t size) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(member) || strlen(member->valuestring) >= size) return false;
    memcpy(to, member->valuestring, strlen(member->valuestring) + 1);
    return true;
}

static assay_status read_row(const char *path, const cJSON *object, size_t index,
                             assay_digest *row) {
    char line[ASSAY_CASE_LINE];
    if (!copy_member(object, "case", line, sizeof line) ||
        !copy_member(object, "inputs", row->inputs, sizeof row->inputs) ||
        !copy_member(object, "outputs", row->outputs, sizeof row->outputs))
        return assay_fail(ASSAY_ERR_FORMAT,
                          "%s: row %zu: expected the strings case, inputs and outputs", path,
                          index);
    if (assay_case_parse(line, &row->c)) {
        char why[512];
        snprintf(why, sizeof why, "%s", assay_last_error());
        return assay_fail(ASSAY_ERR_FORMAT, "%s: row %zu, case: %s", path, index, why);
    }
    return ASSAY_OK;
}

static assay_status read_rows(const cJSON *root, assay_digest_file *out) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *object;
    if (!cJSON_IsArray(rows))
        return assay_fail(ASSAY_ERR_FORMAT, "%s: rows: expected an array", out->path);
    const int size = cJSON_GetArraySize(rows);
    if (size == 0) return assay_fail(ASSAY_ERR_FORMAT, "%s: rows: is empty", out->path);
    out->rows = calloc((size_t)size, sizeof *out->rows);
    if (!out->rows) return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory for rows", out->path);
    cJSON_ArrayForEach(object, rows) {
        const assay_status status = read_row(out->path, object, out->count, &out->rows[out->count]);
        if (status) return status;
        out->count++;
    }
    return ASSAY_OK;
}

/* Marks the rows that stale.json beside `path` names; no such file is no error. */
static assay_status mark_stale(assay_digest_file *file) {
    char path[512 + 16];
    const char *slash = strrchr(file->path, '/');
    const int folder = slash ? (int)(slash - file->path) : 1;
    snprintf(path, sizeof path, "%.*s/stale.json", folder, slash ? file->path : ".");
    FILE *present = fopen(path, "rb");
    if (!present) return ASSAY_OK;
    fclose(present);
    cJSON *root = NULL;
    assay_status status = parse(path, &root);
    if (status) return status;
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *object;
    if (!cJSON_IsArray(rows))
        status = assay_fail(ASSAY_ERR_FORMAT, "%s: rows: expected an array", path);
    cJSON_ArrayForEach(object, rows) {
        char line[ASSAY_CASE_LINE], own[ASSAY_CASE_LINE], reason[128];
        if (status) break;
        if (!copy_member(object, "case", line, sizeof line) ||
            !copy_member(object, "reason", reason, sizeof reason) || !reason[0]) {
            status = assay_fail(ASSAY_ERR_FORMAT, "%s: expected the strings case and reason", path);
            break;
        }
        for (size_t i = 0; i < file->count; i++) {
            assay_case_format(&file->rows[i].c, own);
            if (strcmp(own, line) != 0) continue;
            file->rows[i].stale = true;
            memcpy(file->rows[i].reason, reason, sizeof reason);
        }
    }
    cJSON_Delete(root);
    return status;
}

assay_status assay_digests_read(const char *path, assay_digest_file *out) {
    char schema[32];
    cJSON *root;
    memset(out, 0, sizeof *out);
    if (strlen(path) >= sizeof out->path)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: path too long", path);
    strcpy(out->path, path);
    assay_status status = parse(path, &root);
    if (status) return status;
    if (!copy_member(root, "schema", schema, sizeof schema) ||
        strcmp(schema, "assay.digests/1") != 0)
        status = assay_fail(ASSAY_ERR_FORMAT, "%s: schema: expected \"assay.digests/1\"", path);
    else if (!copy_member(root, "chip", out->chip, sizeof out->chip) ||
             !copy_member(root, "device", out->device, sizeof out->device) ||
             !copy_member(root, "driver", out->driver, sizeof out->driver) ||
             !copy_member(root, "toolkit", out->toolkit, sizeof out->toolkit) ||
             !copy_member(root, "date", out->date, sizeof out->date) ||
             !copy_member(root, "source", out->source, sizeof out->source))
        status = assay_fail(ASSAY_ERR_FORMAT,
                            "%s: expected the strings chip, device, driver, toolkit, date and "
                            "source",
                            path);
    if (!status) status = read_rows(root, out);
    if (!status) status = mark_stale(out);
    cJSON_Delete(root);
    if (status) assay_digests_free(out);
    return status;
}

void assay_digests_free(assay_digest_file *file) {
    free(file->rows);
    file->rows = NULL;
    file->count = 0;
}
