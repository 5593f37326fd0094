#include "result.h"

static const struct {
    const char *name, *key;
} words[ASSAY_WORD_COUNT] = {
    [ASSAY_PASSED] = {"PASSED", "passed"},
    [ASSAY_FAILED] = {"FAILED", "failed"},
    [ASSAY_MISTRUSTED] = {"MISTRUSTED", "mistrusted"},
    [ASSAY_ILL_CONDITIONED] = {"ILL_CONDITIONED", "ill_conditioned"},
    [ASSAY_REFUSED] = {"REFUSED", "refused"},
    [ASSAY_SKIPPED] = {"SKIPPED", "skipped"},
    [ASSAY_HARNESS_ERROR] = {"HARNESS_ERROR", "harness_error"},
};

const char *assay_word_name(assay_word word) {
    return (unsigned)word < ASSAY_WORD_COUNT ? words[word].name : "?";
}

const char *assay_word_key(assay_word word) {
    return (unsigned)word < ASSAY_WORD_COUNT ? words[word].key : "?";
}

/* A word outside the enum can only be a mistake of ours, and must not count as a pass. */
void assay_totals_add(assay_totals *totals, const assay_result *result) {
    assay_word word = result->word;
    totals->words[(unsigned)word < ASSAY_WORD_COUNT ? word : ASSAY_HARNESS_ERROR]++;
    totals->cases++;
    totals->outputs += result->outputs;
    totals->launches += result->launches;
    totals->compared_bits += result->compared_bits;
    totals->seconds += result->seconds;
    if (result->slack_known && result->tally.max_slack > totals->max_slack)
        totals->max_slack = result->tally.max_slack;
}

int assay_totals_exit_code(const assay_totals *totals) {
    const int64_t *w = totals->words;
    if (totals->cases == 0) return 2;
    if (w[ASSAY_HARNESS_ERROR]) return 3;
    if (w[ASSAY_FAILED] || w[ASSAY_MISTRUSTED] || w[ASSAY_ILL_CONDITIONED] || w[ASSAY_REFUSED])
        return 1;
    return w[ASSAY_PASSED] ? 0 : 77;
}
