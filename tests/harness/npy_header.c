/* The header of a .npy file: a Python dict literal, read by hand.
 *
 *     magic "\x93NUMPY" | major minor | header length, little endian | header | data
 *     header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } spaces newline
 *
 * NumPy evaluates the literal; here exactly the three keys are known, in any order, each once, with
 * free blanks, either quote and an optional last comma. Strings have no escapes. The first byte
 * that does not fit is named by its offset in the file.
 */
#include "npy_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct scanner {
    const char *path;
    const unsigned char *bytes; /* the file from its first byte */
    size_t at, end;             /* next byte; one past the header */
} scanner;

/* What stands at `at`, quoted and shortened, for a message. */
static const char *excerpt(const unsigned char *bytes, size_t at, size_t end, char text[96]) {
    if (at >= end) return "its end";
    size_t n = 0;
    text[n++] = '"';
    size_t stop = end - at > 16 ? at + 16 : end;
    for (size_t i = at; i < stop; i++) {
        unsigned char c = bytes[i];
        n += (size_t)snprintf(text + n, 96 - n, c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
    }
    snprintf(text + n, 96 - n, "\"%s", stop < end ? "..." : "");
    return text;
}

static assay_status refuse(const scanner *s, const char *field, size_t at, const char *expected) {
    char text[96];
    return assay_npy_refuse(s->path, field, at, excerpt(s->bytes, at, s->end, text), expected);
}

static void skip_blanks(scanner *s) {
    while (s->at < s->end && memchr(" \t\r\n", s->bytes[s->at], 4)) s->at++;
}

/* Takes the character if it is next, after blanks. */
static bool take(scanner *s, char c) {
    skip_blanks(s);
    if (s->at == s->end || s->bytes[s->at] != (unsigned char)c) return false;
    s->at++;
    return true;
}

/* A quoted string: [*begin, *begin + *length) of the file. */
static assay_status string(scanner *s, const char *field, size_t *begin, size_t *length) {
    skip_blanks(s);
    size_t open = s->at;
    if (s->at == s->end || (s->bytes[open] != '\'' && s->bytes[open] != '"'))
        return refuse(s, field, s->at, "a quoted string");
    unsigned char quote = s->bytes[s->at++];
    for (*begin = s->at; s->at < s->end && s->bytes[s->at] != quote; s->at++) {
        unsigned char c = s->bytes[s->at];
        if (c == '\n') return refuse(s, field, open, "a closing quote on the same line");
        if (c < ' ' || c >= 127) return refuse(s, field, s->at, "printable ASCII");
        if (c == '\\') return refuse(s, field, s->at, "a string without escapes");
    }
    if (s->at == s->end) return refuse(s, field, open, "a closing quote");
    *length = s->at++ - *begin;
    return ASSAY_OK;
}

static bool is(const scanner *s, size_t begin, size_t length, const char *word) {
    return strlen(word) == length && memcmp(s->bytes + begin, word, length) == 0;
}

#define KNOWN_DESCR "'<f2', '<f4', '<f8', '<u2' or '<V2' (or '>')"

static assay_status descr(scanner *s, assay_npy_header *out) {
    static const struct {
        const char *text;
        assay_npy_type type;
    } known[] = {{"f2", ASSAY_NPY_F16},
                 {"f4", ASSAY_NPY_F32},
                 {"f8", ASSAY_NPY_F64},
                 {"u2", ASSAY_NPY_U16},
                 {"V2", ASSAY_NPY_BF16}};
    skip_blanks(s);
    if (s->at < s->end && s->bytes[s->at] == '[')
        return refuse(s, "descr", s->at, "a plain dtype, not a structured one: " KNOWN_DESCR);
    size_t begin, length;
    assay_status status = string(s, "descr", &begin, &length);
    if (status != ASSAY_OK) return status;
    if (is(s, begin, length, "bfloat16") || is(s, begin, length, "|V2")) {
        out->type = ASSAY_NPY_BF16;
        return ASSAY_OK;
    }
    if (length > 0 && memchr(s->bytes + begin, 'O', length))
        return refuse(s, "descr", begin, "numbers: object arrays are never unpickled");
    unsigned char order = length > 0 ? s->bytes[begin] : 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((order == '<' || order == '>') && is(s, begin + 1, length - 1, known[i].text)) {
            out->type = known[i].type;
            out->big_endian = order == '>';
            return ASSAY_OK;
        }
    return refuse(s, "descr", begin, KNOWN_DESCR);
}

static assay_status fortran_order(scanner *s, assay_npy_header *out) {
    static const char *const words[2] = {"False", "True"};
    skip_blanks(s);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (s->end - s->at >= length && is(s, s->at, length, words[i])) {
            s->at += length;
            out->fortran = i == 1;
            return ASSAY_OK;
        }
    }
    return refuse(s, "fortran_order", s->at, "True or False");
}

static assay_status dimension(scanner *s, int64_t *out) {
    size_t begin = s->at;
    int64_t n = 0;
    for (; s->at < s->end && s->bytes[s->at] >= '0' && s->bytes[s->at] <= '9'; s->at++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (int64_t)(s->bytes[s->at] - '0'), &n))
            return refuse(s, "shape", begin, "a dimension below 2^63");
    if (s->at == begin) return refuse(s, "shape", begin, "a dimension: decimal digits");
    if (s->at - begin > 1 && s->bytes[begin] == '0')
        return refuse(s, "shape", begin, "a dimension without leading zeros");
    *out = n;
    return ASSAY_OK;
}

static assay_status shape(scanner *s, assay_npy_header *out) {
    if (!take(s, '(')) return refuse(s, "shape", s->at, "a tuple of dimensions");
    out->rank = 0;
    bool comma = true; /* may a dimension follow? */
    while (!take(s, ')')) {
        if (s->at == s->end) return refuse(s, "shape", s->at, "')'");
        if (!comma) return refuse(s, "shape", s->at, "',' or ')'");
        if (out->rank == ASSAY_NPY_MAX_RANK)
            return refuse(s, "shape", s->at, "at most 8 dimensions");
        assay_status status = dimension(s, &out->shape[out->rank]);
        if (status != ASSAY_OK) return status;
        out->rank++;
        comma = take(s, ',');
    }
    /* (3) is a number in Python, not a tuple. */
    if (out->rank == 1 && !comma)
        return refuse(s, "shape", s->at - 1, "',' after the only dimension");
    return ASSAY_OK;
}

static assay_status dict(scanner *s, assay_npy_header *out, size_t *shape_at) {
    enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
    static const char *const names[KEYS] = {"descr", "fortran_order", "shape"};
    bool seen[KEYS] = {false};
    if (!take(s, '{')) return refuse(s, "header", s->at, "'{'");
    bool comma = true;
    while (!take(s, '}')) {
        if (s->at == s->end) return refuse(s, "header", s->at, "'}'");
        if (!comma) return refuse(s, "header", s->at, "',' or '}'");
        size_t begin, length;
        assay_status status = string(s, "key", &begin, &length);
        if (status != ASSAY_OK) return status;
        int key = 0;
        while (key < KEYS && !is(s, begin, length, names[key])) key++;
        if (key == KEYS) return refuse(s, "key", begin, "descr, fortran_order or shape");
        if (seen[key]) return refuse(s, "key", begin, "each key once");
        seen[key] = true;
        if (!take(s, ':')) return refuse(s, names[key], s->at, "':'");
        skip_blanks(s);
        if (key == SHAPE) *shape_at = s->at;
        status = key == DESCR           ? descr(s, out)
                 : key == FORTRAN_ORDER ? fortran_order(s, out)
                                        : shape(s, out);
        if (status != ASSAY_OK) return status;
        comma = take(s, ',');
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key]) {
            char expected[64];
            snprintf(expected, sizeof expected, "the key '%s'", names[key]);
            return assay_npy_refuse(s->path, "header", s->at - 1, "the dict's end", expected);
        }
    /* Padding is blanks and one newline, the last byte. */
    while (s->at < s->end && s->bytes[s->at] == ' ') s->at++;
    if (s->at + 1 != s->end || s->bytes[s->at] != '\n')
        return refuse(s, "header", s->at, "spaces and one newline that ends the header");
    return ASSAY_OK;
}

/* Counts elements and compares with what the file holds. */
static assay_status extent(const scanner *s, uint64_t file_size, size_t shape_at,
                           assay_npy_header *out) {
    /* Zero dimensions are left out of the first product: the strides must fit as well. */
    int64_t bytes = (int64_t)assay_npy_type_size(out->type);
    out->elements = 1;
    for (int i = 0; i < out->rank; i++) {
        int64_t n = out->shape[i] ? out->shape[i] : 1;
        if (__builtin_mul_overflow(bytes, n, &bytes))
            return refuse(s, "shape", shape_at, "a product of dimensions below 2^63 bytes");
        out->elements *= out->shape[i] < n ? 0 : n;
    }
    if (out->elements == 0) bytes = 0;
    uint64_t have = file_size - out->data_at;
    if (have == (uint64_t)bytes) return ASSAY_OK;
    char found[64], expected[96];
    snprintf(found, sizeof found, "%llu bytes to the file's end", (unsigned long long)have);
    snprintf(expected, sizeof expected, "%lld bytes (%lld elements of %s)", (long long)bytes,
             (long long)out->elements, assay_npy_type_name(out->type));
    return assay_npy_refuse(s->path, "data", out->data_at, found, expected);
}

assay_status assay_npy_parse(const char *path, const unsigned char *bytes, size_t length,
                             uint64_t file_size, assay_npy_header *out) {
    static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    *out = (assay_npy_header){0};
    scanner s = {path, bytes, 0, length < 10 ? length : 10};
    if (length < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return refuse(&s, "magic", 0, "\"\\x93NUMPY\"");
    if (length < 8) return refuse(&s, "version", length, "1.0, 2.0 or 3.0");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        char found[32];
        snprintf(found, sizeof found, "%d.%d", bytes[6], bytes[7]);
        return assay_npy_refuse(path, "version", 6, found, "1.0, 2.0 or 3.0");
    }
    size_t wide = bytes[6] == 1 ? 2 : 4;
    if (length < 8 + wide) return refuse(&s, "header length", length, "a little-endian integer");
    size_t header = 0;
    for (size_t i = 0; i < wide; i++) header |= (size_t)bytes[8 + i] << (8 * i);
    char found[64], expected[64];
    snprintf(found, sizeof found, "%zu", header);
    if (header > ASSAY_NPY_MAX_HEADER) {
        snprintf(expected, sizeof expected, "at most %d", ASSAY_NPY_MAX_HEADER);
        return assay_npy_refuse(path, "header length", 8, found, expected);
    }
    if (header > length - 8 - wide) {
        snprintf(expected, sizeof expected, "at most the %zu bytes that follow", length - 8 - wide);
        return assay_npy_refuse(path, "header length", 8, found, expected);
    }
    s.at = 8 + wide;
    s.end = out->data_at = s.at + header;
    size_t shape_at = 0;
    assay_status status = dict(&s, out, &shape_at);
    return status != ASSAY_OK ? status : extent(&s, file_size, shape_at, out);
}
