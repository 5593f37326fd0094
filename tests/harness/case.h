/* Cases: one test, written as one canonical text line.
 *
 *     rms_norm dt=bf16 rows=7 d=8192 eps=1e-6 data=tail_spike seed=42
 *
 * The line is the case's name, filter, repro, ledger key and JUnit name. Attributes stand in the
 * order in which the op declares them; one that has its default value is left out, unless it is
 * declared `always`. Parsing accepts any order.
 */
#ifndef ASSAY_HARNESS_CASE_H
#define ASSAY_HARNESS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/status.h"

#define ASSAY_MAX_ATTRS 24
#define ASSAY_CASE_LINE 512

struct assay_op;

typedef enum assay_attr_kind {
    ASSAY_ATTR_INT,  /* int64: decimal; `min`..`max` */
    ASSAY_ATTR_REAL, /* double: shortest decimal that reads back the same */
    ASSAY_ATTR_WORD  /* one of `words` */
} assay_attr_kind;

typedef struct assay_attr {
    const char *key;
    const char *help; /* one line, with units */
    assay_attr_kind kind;
    bool always;              /* printed even when it has its default */
    int64_t min, max;         /* of an INT */
    int64_t fallback;         /* default of an INT, index of the default of a WORD */
    double real_fallback;     /* default of a REAL */
    const char *const *words; /* NULL-terminated, of a WORD */
} assay_attr;

typedef union assay_value {
    int64_t i; /* INT, or index into words */
    double r;
} assay_value;

typedef struct assay_case {
    const struct assay_op *op;
    assay_value value[ASSAY_MAX_ATTRS]; /* indexed like op->attrs */
} assay_case;

/* A case with every attribute at its default. */
assay_case assay_case_default(const struct assay_op *op);

/* Parses "OP key=value ..." (any order, each key at most once). ERR_ARGUMENT names the word that is
 * wrong, what was expected, and the ops or keys that exist. */
assay_status assay_case_parse(const char *line, assay_case *out);

/* Applies "key=value key=value" to an existing case. */
assay_status assay_case_override(assay_case *c, const char *text);

/* The canonical line; always fits ASSAY_CASE_LINE. */
void assay_case_format(const assay_case *c, char line[ASSAY_CASE_LINE]);

/* The same without the named keys (NULL-terminated): the key of a class of cases. */
void assay_case_format_without(const assay_case *c, const char *const *keys,
                               char line[ASSAY_CASE_LINE]);

/* Attribute by key; a key the op does not declare is a programming error (aborts). */
int64_t assay_case_int(const assay_case *c, const char *key);
double assay_case_real(const assay_case *c, const char *key);
const char *assay_case_word(const assay_case *c, const char *key);
int64_t assay_case_index(const assay_case *c, const char *key); /* of a WORD, into its words */

/* A filter is a list of words, all of which must match: "rms_norm", "d=4096", "dt=bf16,f16"
 * (alternatives), "d>=4096", "d<64", "data!=normal", "op=rms_norm" (the whole name), or any other
 * text as a substring of the canonical line. Defaults match by key though the line leaves them out.
 * A key or value that no op knows is ERR_ARGUMENT; one that only other ops know does not match. */
assay_status assay_case_matches(const assay_case *c, const char *const *words, size_t count,
                                bool *matches);

#endif
