/* Test data of rms_norm. No libm: the bits are the same on every machine. */
#include "rms_norm.h"

#include <math.h>
#include <stdbool.h>

#include "assay/formats.h"
#include "random.h"

const char *const rms_norm_data_words[RMS_NORM_DATA_COUNT + 1] = {
    [RMS_NORM_NORMAL] = "normal",
    [RMS_NORM_HEAVY] = "heavy",
    [RMS_NORM_EXACT] = "exact",
    [RMS_NORM_NEAR_EPS] = "near_eps",
    [RMS_NORM_TAIL_SPIKE] = "tail_spike",
    [RMS_NORM_ABSORB] = "absorb",
    [RMS_NORM_SCALES] = "scales",
    [RMS_NORM_SPECIAL] = "special",
    [RMS_NORM_MIXED] = "mixed",
    [RMS_NORM_TIES] = "ties",
    [RMS_NORM_ONES] = "ones",
};

enum { STREAM_X = 1, STREAM_W, STREAM_ROW };

static double power_of_two(int exponent) {
    double p = 1.0;
    for (; exponent > 0; exponent--) p *= 2.0;
    for (; exponent < 0; exponent++) p *= 0.5;
    return p;
}

/* A number per row: which scale, which place. */
static uint64_t row_random(const rms_norm_recipe *r, int64_t row) {
    return assay_random(r->seed, STREAM_ROW, (uint64_t)row);
}

static uint64_t element_random(const rms_norm_recipe *r, int64_t row, int64_t column) {
    return assay_random(r->seed, STREAM_X, (uint64_t)(row * r->d + column));
}

static double signed_by(uint64_t bits, double magnitude) {
    return bits & 1 ? -magnitude : magnitude;
}

/* The largest power of four at or below eps, as its square root: |x| for a mean square near eps. */
static double near_eps_scale(double eps) {
    double scale = 1.0;
    if (eps <= 0.0) return 0x1p-10;
    while (scale * scale > eps && scale > 0x1p-60) scale *= 0.5;
    return scale;
}

/* A row's large group, by `place`: the last element, the last 8, the first, a random one. */
static double spike(const rms_norm_recipe *r, int64_t place, int64_t row, int64_t column,
                    double normal) {
    const int64_t random_place = (int64_t)(row_random(r, row) % (uint64_t)r->d);
    bool large = false;
    switch (place) {
    case 0: large = column == r->d - 1; break;
    case 1: large = column >= r->d - 8; break;
    case 2: large = column == 0; break;
    default: large = column == random_place; break;
    }
    /* In long rows the spike must still hold a large share of the sum of squares. */
    const double height = r->d > 4096 ? 512.0 : 64.0;
    return large ? signed_by(element_random(r, row, column), height) : 0.125 * normal;
}

/* Elements whose squares meet the large one alone, each at its own addition on the way to the root
 * (see assay_rms_norm_tree): the rest of the chunk's accumulators, of the lane's chunks, and one
 * lane per level of the tree. 2^-12 squared is half an ulp of 1, and ties go to the even 1. */
static double absorb(const rms_norm_recipe *r, int64_t row, int64_t column) {
    const assay_rms_norm_tree tree = assay_rms_norm_tree_for(r->dtype, r->d);
    const double scale = power_of_two((int)(row % 3) - 1);
    const int64_t chunk = column / tree.chunk, slot = column % tree.chunk;
    const bool power_of_two_slot = (slot & (slot - 1)) == 0,
               power_of_two_chunk = (chunk & (chunk - 1)) == 0;
    if (column == 0) return scale;
    const bool same_accumulator = slot == 0 && chunk % tree.lanes == 0;
    const bool neighbour_slot = chunk == 0 && power_of_two_slot;
    const bool neighbour_lane = slot == 0 && chunk < tree.lanes && power_of_two_chunk;
    return same_accumulator || neighbour_slot || neighbour_lane ? scale * 0x1p-12 : 0.0;
}

/* Bits of x for data=special; `place` is the row's random column. */
static uint32_t special(const rms_norm_recipe *r, int64_t row, int64_t column, double normal) {
    const int64_t place = (int64_t)(row_random(r, row) % (uint64_t)r->d);
    const double largest = r->dtype == ASSAY_F16 ? 65504.0 : 0x1.fep127;
    const double least = r->dtype == ASSAY_F16    ? 0x1p-24
                         : r->dtype == ASSAY_BF16 ? 0x1p-133
                                                  : 0x1p-149;
    const bool here = column == place;
    const uint64_t sign = element_random(r, row, column);
    double v = normal;
    switch (row % 11) {
    case 0: v = signed_by(sign, 0.0); break; /* a zero row, both signs */
    case 1: return here ? 0xffffffffu : assay_format_encode(r->dtype, v); /* one NaN */
    case 2: v = here ? (double)INFINITY : v; break;
    case 3: v = here ? -(double)INFINITY : v; break;
    case 4: v = signed_by(sign, largest); break; /* overflows but for f16 */
    case 5: v = here ? largest : v; break;
    case 6: v = signed_by(sign, least * (double)(1 + sign % 5)); break; /* all subnormal */
    case 7: v = column % 2 ? v * least * 0x1p3 : v; break; /* subnormals among numbers */
    case 8: v = signed_by(sign, 0x1p-11) * normal; break;
    case 9: v = signed_by(sign, 0x1.8p13); break;
    default: v = here ? v : 0.0; break; /* one number among zeros */
    }
    return assay_format_encode(r->dtype, v);
}

static double plain(const rms_norm_recipe *r, int64_t row, int64_t column) {
    const uint64_t bits = element_random(r, row, column);
    const double normal = assay_random_normal(bits);
    switch (r->kind) {
    case RMS_NORM_HEAVY: return normal * power_of_two((int)(assay_random(bits, 0, 7) % 13) - 6);
    case RMS_NORM_EXACT:
    case RMS_NORM_TIES:
        return signed_by(bits >> 7, power_of_two((int)(row_random(r, row) % 9) - 4));
    case RMS_NORM_NEAR_EPS: return normal * near_eps_scale(r->eps);
    case RMS_NORM_TAIL_SPIKE: return spike(r, row % 4, row, column, normal);
    case RMS_NORM_ABSORB: return absorb(r, row, column);
    case RMS_NORM_SCALES: return normal * power_of_two((int)(row_random(r, row) % 17) - 8);
    case RMS_NORM_MIXED:
        if (row % 5 == 0) return normal * near_eps_scale(r->eps);
        return row % 5 == 4 ? normal : spike(r, row % 5 - 1, row, column, normal);
    case RMS_NORM_ONES: return 1.0;
    default: return normal;
    }
}

void rms_norm_generate_x(const rms_norm_recipe *r, void *x) {
    for (int64_t row = 0; row < r->rows; row++) {
        for (int64_t column = 0; column < r->d; column++) {
            const double normal = assay_random_normal(element_random(r, row, column));
            const uint32_t bits = r->kind == RMS_NORM_SPECIAL
                                      ? special(r, row, column, normal)
                                      : assay_format_encode(r->dtype, plain(r, row, column));
            assay_format_store(r->dtype, x, row * r->d + column, bits);
        }
    }
}

/* One plus an odd multiple of the last place: 2 + that is half-way between two stored values. */
static double tie_weight(const rms_norm_recipe *r, uint64_t bits) {
    const int fraction = r->dtype == ASSAY_F32 ? 23 : r->dtype == ASSAY_F16 ? 10 : 7;
    const uint64_t places = UINT64_C(1) << (fraction - 1);
    return 1.0 + (double)(2 * (bits >> 8 & (places - 1)) + 1) * power_of_two(-fraction);
}

/* Distinct neighbours, both signs, never one and never zero: a weight that is skipped, shifted or
 * taken from another column shows. Exact data takes small integers, so that products stay exact. */
void rms_norm_generate_w(const rms_norm_recipe *r, void *w) {
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, (double)INFINITY, (double)NAN, 0x1p-14};
    for (int64_t column = 0; column < r->d; column++) {
        const uint64_t bits = assay_random(r->seed, STREAM_W, (uint64_t)column);
        double v = signed_by(bits, 0.5 + 1.5 * assay_random_uniform(bits));
        if (r->kind == RMS_NORM_EXACT) v = signed_by(bits, (double)(2 + column * 37 % 125));
        if (r->kind == RMS_NORM_TIES) v = signed_by(bits, tie_weight(r, bits));
        if (r->kind == RMS_NORM_ONES) v = 1.0;
        if (r->kind == RMS_NORM_SPECIAL && bits % 5 == 0) v = specials[(bits >> 8) % 7];
        assay_format_store(r->dtype, w, column, assay_format_encode(r->dtype, v));
    }
}
