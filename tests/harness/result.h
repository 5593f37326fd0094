/* What came of a case. */
#ifndef ASSAY_HARNESS_RESULT_H
#define ASSAY_HARNESS_RESULT_H

#include "assay/simt.h"
#include "case.h"
#include "compare.h"
#include "hash.h"

typedef enum assay_word {
    ASSAY_PASSED = 0,
    ASSAY_FAILED,          /* the kernel under test broke its contract */
    ASSAY_MISTRUSTED,      /* passed, but the data of its class cannot show every term of the op */
    ASSAY_ILL_CONDITIONED, /* the bounds are too wide to say anything */
    ASSAY_REFUSED,         /* the kernel declined a valid case */
    ASSAY_SKIPPED,         /* not run: no device, no build of the back end, no instance */
    ASSAY_HARNESS_ERROR,   /* assay's own failure, or a crash of the tool */
    ASSAY_WORD_COUNT
} assay_word;

const char *assay_word_name(assay_word word); /* "PASSED" ... */
const char *assay_word_key(assay_word word);  /* "passed" ...: the JSON key */

#define ASSAY_MESSAGE 2048

typedef struct assay_result {
    assay_case c;
    assay_word word;
    const char *backend; /* "simt", "cuda", "hip" */
    const char *check;   /* which check failed: "bounds", "inputs_unchanged", ...; "" if none */
    char kernel[96];     /* instance that ran */
    char message[ASSAY_MESSAGE]; /* the failure text, several lines; "" when passed */
    assay_tally tally;           /* of the bounds check */
    bool slack_known; /* results are stored unrounded (f32), so max_slack means something */
    int64_t outputs;  /* elements compared with bounds */
    int64_t launches;
    int64_t compared_bits;             /* outputs compared with the executor's, on a GPU */
    char input_hash[ASSAY_HASH_TEXT];  /* of the inputs; "" when nothing ran */
    char output_hash[ASSAY_HASH_TEXT]; /* of the first run's outputs; "" when nothing ran */
    bool counted;                      /* `counters` are of the first run */
    assay_simt_counters counters;
    double seconds;
} assay_result;

/* Counts by word, and what was compared. */
typedef struct assay_totals {
    int64_t words[ASSAY_WORD_COUNT];
    int64_t cases, outputs, launches, compared_bits;
    double max_slack;
    double seconds;
} assay_totals;

void assay_totals_add(assay_totals *totals, const assay_result *result);

/* 0 all passed (at least one), 1 a FAILED, MISTRUSTED, ILL_CONDITIONED or REFUSED, 2 nothing
 * selected, 3 a HARNESS_ERROR, 77 everything SKIPPED. */
int assay_totals_exit_code(const assay_totals *totals);

#endif
