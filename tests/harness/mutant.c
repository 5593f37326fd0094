/* Reading and planting a mutant. */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "text_file.h"

typedef enum field_kind { WORD, TEXT, BLOCK } field_kind; /* a block's lines begin with a bar */

static const struct {
    const char *key;
    size_t place;
    field_kind kind;
    bool required;
} fields[] = {
    {"id", offsetof(assay_mutant, id), WORD, true},
    {"title", offsetof(assay_mutant, title), TEXT, true},
    {"file", offsetof(assay_mutant, file), WORD, true},
    {"class", offsetof(assay_mutant, class), TEXT, true},
    {"source", offsetof(assay_mutant, source), TEXT, true},
    {"witness", offsetof(assay_mutant, witness), TEXT, false},
    {"chip", offsetof(assay_mutant, chip), TEXT, false},
    {"suites", offsetof(assay_mutant, suites), TEXT, false},
    {"equivalent", offsetof(assay_mutant, equivalent), TEXT, false},
    {"fault", offsetof(assay_mutant, fault), TEXT, true},
    {"anchor", offsetof(assay_mutant, anchor), BLOCK, true},
    {"replacement", offsetof(assay_mutant, replacement), BLOCK, true},
};
#define FIELDS (sizeof fields / sizeof fields[0])

/* The codes of the public-bug catalogue. */
static const char *const classes[] = {
    "NUM",  "SPEC",   "MASK",  "TAIL",  "OOB",  "INT32",  "ALIGN", "STRIDE", "RACE",
    "XBLK", "UNINIT", "SPLIT", "SCALE", "FMT",  "NANINF", "DISP",  "ROUTE",  "SAMP",
    "KV",   "GRAPH",  "DET",   "ALIAS", "WARP", "ZERO",   "COMP",  "HARN",   NULL};

static const char *key_at(const void *table, size_t index) {
    (void)table;
    return index < FIELDS ? fields[index].key : NULL;
}

static char **field_of(assay_mutant *m, size_t i) {
    return (char **)(void *)((char *)m + fields[i].place);
}

static assay_status wrong(const char *path, int line, const char *what, const char *found) {
    return assay_fail(ASSAY_ERR_FORMAT, "%s:%d: %s%s", path, line, what, found);
}

/* Appends a line's text to a field, after `joint` when it holds something already. */
static bool append(char **field, const char *joint, const char *text, size_t length) {
    const size_t used = *field ? strlen(*field) : 0, gap = *field ? strlen(joint) : 0;
    char *grown = realloc(*field, used + gap + length + 1);
    if (!grown) return false;
    memcpy(grown + used, joint, gap);
    memcpy(grown + used + gap, text, length);
    grown[used + gap + length] = '\0';
    *field = grown;
    return true;
}

typedef struct reader {
    const char *path;
    assay_mutant *mutant;
    int line;
    size_t current; /* the field that lines continue; FIELDS: none */
    bool seen[FIELDS];
    size_t block_lines; /* of the current block */
} reader;

static assay_status no_memory(void) { return assay_fail(ASSAY_ERR_MEMORY, "no memory"); }

/* "key: value" or "key:" before a block. */
static assay_status take_key(reader *r, const char *line, size_t length) {
    const char *colon = memchr(line, ':', length);
    char key[64], help[512];
    if (!colon) return wrong(r->path, r->line, "expected \"key: value\"", "");
    const size_t key_length = (size_t)(colon - line);
    snprintf(key, sizeof key, "%.*s", (int)(key_length < 63 ? key_length : 63), line);
    size_t i = 0;
    while (i < FIELDS && strcmp(fields[i].key, key) != 0) i++;
    if (i == FIELDS) {
        char text[640];
        assay_name_help(key, key_at, NULL, help, sizeof help);
        snprintf(text, sizeof text, "unknown field '%s'; %s", key, help);
        return wrong(r->path, r->line, text, "");
    }
    if (r->seen[i]) return wrong(r->path, r->line, "a second field ", key);
    r->seen[i] = true;
    r->current = i;
    r->block_lines = 0;
    const char *value = colon + 1;
    const char *const end = line + length;
    while (value < end && *value == ' ') value++;
    const size_t size = (size_t)(end - value);
    if (fields[i].kind == BLOCK && size)
        return wrong(r->path, r->line, key, ": its text goes below, each line after a bar");
    if (fields[i].kind != BLOCK && !size) return wrong(r->path, r->line, "an empty field ", key);
    if (fields[i].kind == WORD && memchr(value, ' ', size))
        return wrong(r->path, r->line, key, ": expected one word");
    return append(field_of(r->mutant, i), "", value, size) ? ASSAY_OK : no_memory();
}

static assay_status take_line(reader *r, const char *line, size_t length) {
    const bool inside = r->current < FIELDS;
    if (length && line[0] == '|') {
        if (!inside || fields[r->current].kind != BLOCK)
            return wrong(r->path, r->line, "a barred line outside anchor and replacement", "");
        const char *joint = r->block_lines++ ? "\n" : "";
        return append(field_of(r->mutant, r->current), joint, line + 1, length - 1) ? ASSAY_OK
                                                                                    : no_memory();
    }
    if (length == 0 || line[0] == '#') return ASSAY_OK;
    if (line[0] != ' ') return take_key(r, line, length);
    if (!inside || fields[r->current].kind != TEXT)
        return wrong(r->path, r->line, "a continuation of nothing", "");
    while (length && *line == ' ') line++, length--;
    return append(field_of(r->mutant, r->current), " ", line, length) ? ASSAY_OK : no_memory();
}

static bool known_classes(const char *text) {
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t i = 0;
        while (classes[i] && strcmp(classes[i], word) != 0) i++;
        if (!classes[i]) return false;
    }
    return true;
}

/* What no single line shows. */
static assay_status check_whole(const reader *r, const char *name) {
    const assay_mutant *m = r->mutant;
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].required && !r->seen[i])
            return wrong(r->path, r->line, "missing field ", fields[i].key);
    if (strcmp(m->id, name) != 0)
        return wrong(r->path, 1, "the id must be the file's name, found ", m->id);
    if (!known_classes(m->class)) return wrong(r->path, r->line, "unknown class in ", m->class);
    if (m->file[0] == '/' || strstr(m->file, ".."))
        return wrong(r->path, r->line, "file: expected a path inside the tree, found ", m->file);
    if (!m->anchor[0]) return wrong(r->path, r->line, "an empty anchor", "");
    if (!m->witness == !m->suites)
        return wrong(r->path, r->line, "expected either a witness or suites", "");
    if (m->suites && (m->equivalent || m->chip))
        return wrong(r->path, r->line, "suites go with neither chip nor equivalent", "");
    return ASSAY_OK;
}

/* "folder/eps_dropped.mutant" -> "eps_dropped". */
static char *name_of(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

assay_status assay_mutant_read(const char *path, assay_mutant *out) {
    char *text = NULL, *name = name_of(path);
    size_t size;
    *out = (assay_mutant){.path = strdup(path)};
    reader r = {.path = path, .mutant = out, .current = FIELDS};
    assay_status status = out->path && name ? assay_text_read(path, &text, &size) : no_memory();
    if (!status) out->hash = assay_fnv(ASSAY_FNV_START, text, size);
    for (const char *line = text; !status && *line;) {
        const size_t length = strcspn(line, "\n");
        r.line++;
        status = take_line(&r, line, length);
        line += length + (line[length] == '\n');
    }
    if (!status) status = check_whole(&r, name);
    free(text);
    if (status) { /* what can be reported: where, and which */
        for (size_t i = 0; i < FIELDS; i++) {
            free(*field_of(out, i));
            *field_of(out, i) = NULL;
        }
        out->id = name;
        return status;
    }
    free(name);
    return ASSAY_OK;
}

void assay_mutant_free(assay_mutant *m) {
    for (size_t i = 0; i < FIELDS; i++) free(*field_of(m, i));
    free(m->path);
    *m = (assay_mutant){.path = NULL};
}

int assay_anchor_count(const char *text, const char *anchor, const char **at) {
    int count = 0;
    *at = NULL;
    for (const char *p = strstr(text, anchor); p; p = strstr(p + 1, anchor)) {
        if (!*at) *at = p;
        count++;
    }
    return count;
}

assay_status assay_mutant_plant(const assay_mutant *m, const char *root, const char *folder) {
    char from[4096], to[4096], *text;
    size_t size;
    const char *at;
    snprintf(from, sizeof from, "%s/%s", root, m->file);
    snprintf(to, sizeof to, "%s/%s", folder ? folder : "", m->file);
    assay_status status = assay_text_read(from, &text, &size);
    if (status) return status;
    const int count = assay_anchor_count(text, m->anchor, &at);
    const size_t anchor = strlen(m->anchor), replacement = strlen(m->replacement);
    char *changed = count == 1 ? malloc(size - anchor + replacement + 1) : NULL;
    if (count != 1) {
        status = assay_fail(ASSAY_ERR_FORMAT, "%s: the anchor matches %d times in %s, expected 1",
                            m->path, count, m->file);
    } else if (strcmp(m->anchor, m->replacement) == 0) {
        status = assay_fail(ASSAY_ERR_FORMAT, "%s: the replacement is the anchor", m->path);
    } else if (!changed) {
        status = no_memory();
    } else {
        const size_t before = (size_t)(at - text), after = size - before - anchor;
        memcpy(changed, text, before);
        memcpy(changed + before, m->replacement, replacement);
        memcpy(changed + before + replacement, at + anchor, after);
        if (folder) status = assay_text_write(to, changed, size - anchor + replacement);
    }
    free(changed);
    free(text);
    return status;
}
