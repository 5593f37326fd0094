/* The fused step for 16 rows at once: rows are lanes, and every lane meets the same column.
 *
 * It is the sum of reference/mma/fused.c in 32-bit lanes, for finite terms: infinities and NaN have
 * been dealt with. A product's magnitude, moved up to the grid of its own exponent, fits in
 * fraction + 2 bits; eight of them fit in 32 with their sign, and are then added to a wide sum.
 *
 * Included once per instruction set with MMA_LANES_STEP defined to the function's name. Loops over
 * MMA_LANES are for the compiler's vectoriser; every build gives the same bits, since all of it is
 * integer arithmetic.
 */
#include "lanes_step.h"

#include <string.h>

typedef int32_t lane_row[MMA_LANES];

void MMA_LANES_STEP(mma_lanes_step *s) {
    lane_row largest;
    for (int i = 0; i < MMA_LANES; i++) largest[i] = s->c_exponent[i];
    for (int k = 0; k < s->terms; k++) {
        const int32_t *exponent = s->a_exponent[s->order[k]];
        const int32_t b = s->b_exponent[s->order[k]];
        for (int i = 0; i < MMA_LANES; i++) {
            const int32_t e = exponent[i] + b;
            largest[i] = e > largest[i] ? e : largest[i];
        }
    }

    int64_t wide[MMA_LANES] = {0};
    for (int first = 0; first < s->terms; first += 8) {
        const int last = first + 8 < s->terms ? first + 8 : s->terms;
        lane_row sum = {0};
        for (int k = first; k < last; k++) {
            const int at = s->order[k];
            const int32_t *significand = s->a_significand[at], *exponent = s->a_exponent[at];
            const int32_t b = s->b_significand[at], b_exponent = s->b_exponent[at];
            for (int i = 0; i < MMA_LANES; i++) {
                const int32_t product = significand[i] * b; /* signed, at its own grid */
                int32_t shift = largest[i] - exponent[i] - b_exponent;
                shift = shift > 31 ? 31 : shift;
                /* Toward zero: a negative one is shifted as its complement. */
                const int32_t sign = product >> 31;
                sum[i] += (((product ^ sign) - sign) >> shift ^ sign) - sign;
            }
        }
        for (int i = 0; i < MMA_LANES; i++) wide[i] += sum[i];
    }
    memcpy(s->sum, wide, sizeof wide);
    memcpy(s->largest, largest, sizeof largest);
}
