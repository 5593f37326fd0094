/* The fused step for 16 rows at once: rows are lanes, and every lane meets the same column.
 *
 * It is reference/mma/fused.c in 32-bit lanes, for finite products. A product's magnitude, moved up
 * to the grid of its own exponent, fits in fraction + 2 bits; eight of them fit in 32 with their
 * sign; the magnitude of the whole sum fits in 32 (mma_lanes_serve sees to it).
 *
 * Included once per instruction set with MMA_LANES_NAME defined. The loops over lanes have no
 * branches and are for the compiler's vectoriser; every build gives the same bits, since all of it
 * is integer arithmetic but for exact conversions of small integers to float.
 */
#include "lanes_step.h"

#include <string.h>

typedef int32_t lane_row[MMA_LANES];

#define EACH_LANE(i) for (int i = 0; i < MMA_LANES; i++)

/* Position of the highest bit of v, 1 <= v < 2^24: the exponent of an exact conversion. */
static inline int32_t top_bit(int32_t v) {
    const float f = (float)v;
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (bits >> 23) - 127;
}

/* As mma_as_f16: binary16 holds small numbers with a leading one where the narrow format cannot. */
static void widen_to_f16(const mma_lanes_decode *d) {
    const int wider = 10 - d->layout->fraction_bits;
    for (int i = 0; i < d->count; i++) {
        const int32_t s = d->significand[i] << wider, e = d->exponent[i];
        const int32_t highest = top_bit(s | (s == 0)), room = e + 14;
        const int32_t up = 10 - highest < room ? 10 - highest : room;
        d->significand[i] = s ? s << up : 0;
        d->exponent[i] = e - up;
    }
}

static void decode(const mma_lanes_decode *d) {
    const mma_layout l = *d->layout;
    const int32_t top = (1 << l.exponent_bits) - 1, one = 1 << l.fraction_bits;
    const int sign_at = l.exponent_bits + l.fraction_bits, up = d->up;
    const int32_t no_number = l.top_code_nan ? one - 1 : l.ieee_specials ? 0 : one;
    const int32_t subnormal = d->flush_subnormals ? 0 : -1;
    const uint32_t *restrict code = d->code;
    int32_t *restrict significand = d->significand, *restrict exponent = d->exponent;
    int32_t *restrict special = d->special;
    for (int i = 0; i < d->count; i++) {
        const int32_t c = (int32_t)(code[i] >> l.unused_low_bits);
        const int32_t fraction = c & (one - 1), field = c >> l.fraction_bits & top;
        const int32_t least = field == 0, none = (field == top) & (fraction >= no_number);
        const int32_t s = least ? fraction & subnormal : fraction | one;
        significand[i] = none ? 0 : s;
        exponent[i] = field + least - l.bias;
        special[i] = none;
    }
    if (d->as_f16) widen_to_f16(d);
    for (int i = 0; i < d->count; i++) {
        const int32_t negative = (int32_t)(code[i] >> l.unused_low_bits) >> sign_at & 1;
        const int32_t s = significand[i] << up;
        exponent[i] = s ? exponent[i] : MMA_LANES_ZERO;
        significand[i] = (s ^ -negative) + negative;
    }
}

/* Sum of the products in units of 2^(largest - fraction), eight at a time. */
static inline void add_products(const mma_lanes_step *s, const lane_row largest, int64_t *wide) {
    for (int first = 0; first < s->rule->terms; first += 8) {
        const int last = first + 8 < s->rule->terms ? first + 8 : s->rule->terms;
        lane_row sum = {0};
        for (int k = first; k < last; k++) {
            const int at = s->order[k];
            const int32_t *significand = s->a_significand[at], *exponent = s->a_exponent[at];
            const int32_t b = s->b_significand[at], b_exponent = s->b_exponent[at];
            EACH_LANE(i) {
                const int32_t product = significand[i] * b;
                int32_t shift = largest[i] - exponent[i] - b_exponent;
                shift = shift > 31 ? 31 : shift;
                const int32_t sign = product >> 31; /* toward zero: the magnitude is shifted */
                sum[i] += (((product ^ sign) - sign) >> shift ^ sign) - sign;
            }
        }
        EACH_LANE(i) wide[i] += sum[i];
    }
}

/* The accumulators' numbers, and where the alignment starts. */
typedef struct lane_accumulators {
    lane_row significand, exponent, field; /* significand with its sign */
} lane_accumulators;

static inline void decode_accumulators(const mma_lanes_step *s, lane_accumulators *c,
                                       lane_row largest) {
    const mma_layout l = *s->layout;
    const int32_t top = (1 << l.exponent_bits) - 1, one = 1 << l.fraction_bits;
    const int32_t floor_ = s->rule->floor, subnormal = s->rule->flush_subnormals ? 0 : -1;
    const int sign_at = l.exponent_bits + l.fraction_bits;
    const uint32_t *restrict value = s->value;
    EACH_LANE(i) {
        const int32_t code = (int32_t)value[i], negative = code >> sign_at & 1;
        const int32_t fraction = code & (one - 1), field = code >> l.fraction_bits & top;
        const int32_t least = field == 0;
        const int32_t m = least ? fraction & subnormal : fraction | one;
        const int32_t exponent = m ? field + least - l.bias : floor_;
        c->field[i] = field;
        c->significand[i] = (m ^ -negative) + negative;
        c->exponent[i] = exponent;
        largest[i] = exponent > floor_ ? exponent : floor_;
    }
}

/* The sums, as sign and magnitude, with c added at the grid. */
static inline void add_accumulators(const mma_lanes_step *s, const lane_accumulators *c,
                                    const lane_row largest, const int64_t *wide, lane_row negative,
                                    uint32_t *magnitude) {
    const int apart = s->rule->fraction - s->layout->fraction_bits;
    const int up = apart > 0 ? apart : 0, down = apart < 0 ? -apart : 0;
    EACH_LANE(i) {
        int32_t shift = largest[i] - c->exponent[i] + down;
        shift = shift > 31 ? 31 : shift;
        const int32_t sign = c->significand[i] >> 31;
        const int32_t cut = (((c->significand[i] ^ sign) - sign) << up) >> shift;
        const int64_t sum = wide[i] + ((cut ^ sign) - sign);
        const int64_t all = sum >> 63;
        negative[i] = (int32_t)all;
        magnitude[i] = (uint32_t)((sum ^ all) - all);
    }
}

static void step(const mma_lanes_step *s) {
    lane_accumulators c;
    lane_row largest, negative;
    uint32_t magnitude[MMA_LANES];
    decode_accumulators(s, &c, largest);
    const assay_mma_rule r = *s->rule;
    for (int k = 0; k < r.terms; k++) {
        const int32_t *exponent = s->a_exponent[s->order[k]];
        const int32_t b = s->b_exponent[s->order[k]];
        EACH_LANE(i) {
            const int32_t e = exponent[i] + b;
            largest[i] = e > largest[i] ? e : largest[i];
        }
    }
    int64_t wide[MMA_LANES] = {0};
    add_products(s, largest, wide);
    add_accumulators(s, &c, largest, wide, negative, magnitude);

    const mma_layout l = *s->layout;
    const int32_t top = (1 << l.exponent_bits) - 1, one = 1 << l.fraction_bits;
    const int32_t least = 1 - l.bias, keep = r.keep, drop = l.fraction_bits - keep;
    const int sign_at = l.exponent_bits + l.fraction_bits, fraction_bits = l.fraction_bits;
    const int32_t bias = l.bias, fraction = r.fraction;
    const uint32_t nearest = r.round == ASSAY_MMA_NEAREST_EVEN,
                   infinity = (uint32_t)top << l.fraction_bits;
    const uint32_t flushed = r.flush_subnormals, signed_zero = r.signed_zero;
    const uint32_t nan = mma_nan(s->rule, l.exponent_bits == 5 ? ASSAY_MMA_F16 : ASSAY_MMA_F32);
    uint32_t *restrict value = s->value;
    EACH_LANE(i) {
        const uint32_t whole = magnitude[i];
        const int32_t high = (int32_t)(whole >> 8), low = (int32_t)(whole & 0xffffff);
        const int32_t high_bit = top_bit(high | (high == 0)) + 8,
                      low_bit = top_bit(low | (low == 0));
        const int32_t bit = low_bit + ((high_bit - low_bit) & -(high >> 16 != 0));
        const int32_t q = largest[i] - fraction, exponent = bit + q;
        int32_t unit = (exponent < least ? least : exponent) - keep;
        const int32_t n = unit - q; /* -23 .. 31 */
        const int32_t right = n > 0 ? n : 0, left = n < 0 ? -n : 0;
        uint32_t m = whole >> right << left;
        /* The bits shifted out, moved to the top: above, at or below one half. */
        const uint32_t rest = whole << ((32 - right) & 31) & (0U - (right > 0));
        m += nearest & ((rest > 0x80000000U) | ((rest == 0x80000000U) & m));
        const uint32_t carry = m >> (keep + 1);
        m >>= carry;
        unit += (int32_t)carry;

        const uint32_t normal = m >> keep, gone = (m == 0) | (flushed & (normal == 0));
        const int32_t field = (unit + keep + bias) & -(int32_t)normal;
        const uint32_t number =
            (uint32_t)field << fraction_bits | (m << drop & (uint32_t)(one - 1));
        const uint32_t finite = field >= top ? infinity : number;
        const uint32_t sign = (uint32_t)negative[i] & 1 & ((gone == 0) | signed_zero);
        const uint32_t code = ((gone - 1) & finite) | sign << sign_at;
        /* An accumulator that is no number decides by itself. */
        const uint32_t given = value[i], stays = given & (uint32_t)(one - 1) ? nan : given;
        value[i] = c.field[i] == top ? stays : code;
    }
}

const mma_lanes MMA_LANES_NAME = {.decode = decode, .step = step};
