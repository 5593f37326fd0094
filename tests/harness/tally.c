/* Tallies of compared elements.
 *
 * Every field is a sum, or an extreme under a total order (ties go to the smaller index), so that
 * the tally of a tensor does not depend on how it was cut into parts or in which order they came.
 */
#include <math.h>
#include <string.h>

#include "assay/formats.h"
#include "compare.h"
#include "compare_internal.h"

void assay_tally_start(assay_tally *tally) {
    *tally = (assay_tally){.max_slack_at = -1, .worst_at = -1};
}

/* Whether failure a is worse than b: where a number and a NaN meet nothing is worse, else by error
 * over bound; equal ratios (infinite, when the bound is zero) differ by their error. */
static bool worse(const assay_tally *a, const assay_tally *b) {
    bool a_nan = isnan(a->worst_error), b_nan = isnan(b->worst_error);
    if (a_nan != b_nan) return a_nan;
    if (a->worst_ratio != b->worst_ratio) return a->worst_ratio > b->worst_ratio;
    if (!a_nan && a->worst_error != b->worst_error) return a->worst_error > b->worst_error;
    return a->worst_at < b->worst_at;
}

/* Takes over the worst failure of `other` when it is worse than ours. */
static void note_failure(assay_tally *tally, const assay_tally *other) {
    if (other->worst_at < 0 || (tally->worst_at >= 0 && !worse(other, tally))) return;
    tally->worst_at = other->worst_at;
    tally->worst_got = other->worst_got;
    tally->worst = other->worst;
    tally->worst_ratio = other->worst_ratio;
    tally->worst_error = other->worst_error;
}

static void note_slack(assay_tally *tally, double slack, int64_t at) {
    bool first = tally->max_slack_at < 0;
    if (first || slack > tally->max_slack ||
        (slack == tally->max_slack && at < tally->max_slack_at)) {
        tally->max_slack = slack;
        tally->max_slack_at = at;
    }
}

/* assay_format_load with the size known: this loop sees every output of every case. */
static inline uint32_t load(size_t size, const void *base, int64_t index) {
    uint32_t word;
    uint16_t half;
    if (size == sizeof word) {
        memcpy(&word, (const char *)base + index * 4, sizeof word);
        return word;
    }
    memcpy(&half, (const char *)base + index * 2, sizeof half);
    return half;
}

void assay_tally_add(assay_tally *tally, assay_dtype dtype, const void *got, int64_t first,
                     int64_t count, const assay_bound *bounds, unsigned char *failures) {
    size_t size = assay_dtype_size(dtype);
    tally->compared += count;
    for (int64_t i = 0; i < count; i++) {
        const assay_bound *bound = &bounds[i];
        uint32_t bits = load(size, got, i);
        double value = assay_format_decode(dtype, bits), slack = compare_slack(value, bound);
        bool right = compare_accepts(dtype, value, bound);
        if (failures) failures[i] = !right;
        if (!right) {
            tally->failed++;
            note_failure(tally,
                         &(assay_tally){.worst_at = first + i,
                                        .worst_got = bits,
                                        .worst = *bound,
                                        .worst_ratio = isnan(slack) ? (double)INFINITY : slack,
                                        .worst_error = fabs(value - bound->y)});
        }
        tally->nonzero += value != 0 && !isnan(value);
        tally->indeterminate += compare_indeterminate(bound);
        tally->ill += bound->hi - bound->lo > 0.25 * fabs(bound->y);
        /* A zero bound has no slack: what is not exact is rounding, or fails. */
        if (isfinite(slack)) note_slack(tally, slack, first + i);
    }
}

void assay_tally_join(assay_tally *into, const assay_tally *part) {
    into->compared += part->compared;
    into->failed += part->failed;
    into->nonzero += part->nonzero;
    into->ill += part->ill;
    into->indeterminate += part->indeterminate;
    if (part->max_slack_at >= 0) note_slack(into, part->max_slack, part->max_slack_at);
    note_failure(into, part);
}
