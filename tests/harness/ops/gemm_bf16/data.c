/* Test data of gemm_bf16. No libm: the bits are the same on every machine. */
#include <math.h>

#include "assay/formats.h"
#include "gemm_bf16.h"
#include "random.h"

const char *const gemm_data_words[GEMM_DATA_COUNT + 1] = {
    [GEMM_NORMAL] = "normal",   [GEMM_HEAVY] = "heavy",     [GEMM_EXACT] = "exact",
    [GEMM_PICK] = "pick",       [GEMM_ONE_BLOCK] = "block", [GEMM_SCALES] = "scales",
    [GEMM_CANCEL] = "cancel",   [GEMM_RISING] = "rising",   [GEMM_TAIL_SPIKE] = "tail_spike",
    [GEMM_SPECIAL] = "special", [GEMM_MIXED] = "mixed",     [GEMM_ONES] = "ones",
};

enum { STREAM_X = 1, STREAM_W, STREAM_ROW };
enum { BLOCK = 16 };

static double power_of_two(int64_t exponent) {
    double p = 1.0;
    for (; exponent > 0; exponent--) p *= 2.0;
    for (; exponent < 0; exponent++) p *= 0.5;
    return p;
}

static uint64_t x_random(const gemm_recipe *r, int64_t row, int64_t k) {
    return assay_random(r->seed, STREAM_X, (uint64_t)(row * r->k + k));
}

static uint64_t w_random(const gemm_recipe *r, int64_t row, int64_t k) {
    return assay_random(r->seed, STREAM_W, (uint64_t)(row * r->k + k));
}

static uint64_t row_random(const gemm_recipe *r, int64_t row) {
    return assay_random(r->seed, STREAM_ROW, (uint64_t)row);
}

static double integer(uint64_t bits) { return (double)((int)(bits % 17) - 8); }

/* k of a pair, one block apart, whose products cancel; -1: its product stays. */
static int64_t cancels(const gemm_recipe *r, int64_t k) {
    const int64_t low = k & ~(int64_t)BLOCK;
    if ((low | BLOCK) >= r->k || assay_random(r->seed, 0, (uint64_t)low) % 3 == 0) return -1;
    return low;
}

static double cancel_x(const gemm_recipe *r, int64_t row, int64_t k) {
    const int64_t low = cancels(r, k);
    if (low < 0) return assay_random_normal(x_random(r, row, k));
    const double large = 256.0 * assay_random_normal(x_random(r, row, low));
    return k == low ? large : -large;
}

/* Each block 16 times the one before, eight of them, then from the start again. */
static double rising(const gemm_recipe *r, int64_t row, int64_t k) {
    const double fraction = 1.0 + assay_random_uniform(x_random(r, row, k));
    return fraction * power_of_two(4 * (k / BLOCK % 8) - 12);
}

/* A row's large group, by `place`: the last k, the last 8, the first, a random one. */
static double spike(const gemm_recipe *r, int64_t place, int64_t row, int64_t k) {
    const double normal = assay_random_normal(x_random(r, row, k));
    const int64_t random_place = (int64_t)(row_random(r, row) % (uint64_t)r->k);
    bool large = false;
    switch (place) {
    case 0: large = k == r->k - 1; break;
    case 1: large = k >= r->k - 8; break;
    case 2: large = k == 0; break;
    default: large = k == random_place; break;
    }
    return large ? 64.0 * (normal < 0 ? normal - 1 : normal + 1) : 0.125 * normal;
}

/* x of data=special; w holds specials too, in every eighth row from the sixth. */
static double special(const gemm_recipe *r, int64_t row, int64_t k) {
    const int64_t place = (int64_t)(row_random(r, row) % (uint64_t)r->k);
    const uint64_t bits = x_random(r, row, k);
    const double normal = assay_random_normal(bits), sign = bits & 1 ? -1.0 : 1.0;
    const bool here = k == place;
    switch (row % 13) {
    case 0: return sign * 0.0;
    case 1: return here ? (double)NAN : normal;
    case 2: return here ? (double)INFINITY : normal;
    case 3: return here ? -(double)INFINITY : normal;
    case 4: return k % 7 == 3 ? sign * (double)INFINITY : normal; /* often of both signs */
    case 5: return sign * 0x1.fep127;                             /* overflows, soon or late */
    case 6: return 0x1.fep126 * (k < r->k / 2 ? 1.0 : -1.0);
    case 7: return sign * 0x1p-133 * (double)(1 + bits % 100); /* subnormal */
    case 8: return sign * 0x1p-130 * normal;                   /* products below the grid's floor */
    case 9: return here ? 0x1p100 : normal;
    case 10: return here ? normal : 0.0;
    case 11: return k % 2 ? normal : sign * 0x1p-126 * (double)(bits % 4);
    default: return 0x1p-60 * normal;
    }
}

static double x_value(const gemm_recipe *r, int64_t row, int64_t k) {
    const uint64_t bits = x_random(r, row, k);
    const double normal = assay_random_normal(bits);
    switch (r->kind) {
    case GEMM_HEAVY: return normal * power_of_two((int64_t)(assay_random(bits, 0, 7) % 13) - 6);
    case GEMM_EXACT: return integer(bits);
    case GEMM_PICK: return k == (row * 7 + 3) % r->k ? 1.0 : 0.0;
    case GEMM_ONE_BLOCK: return k / BLOCK == row % ((r->k - 1) / BLOCK + 1) ? normal : 0.0;
    case GEMM_SCALES: return normal * power_of_two((int64_t)(row_random(r, row) % 17) - 8);
    case GEMM_CANCEL: return cancel_x(r, row, k);
    case GEMM_RISING: return rising(r, row, k);
    case GEMM_TAIL_SPIKE: return spike(r, row % 4, row, k);
    case GEMM_SPECIAL: return special(r, row, k);
    case GEMM_ONES: return 1.0;
    case GEMM_MIXED:
        switch (row % 7) {
        case 0: return spike(r, 0, row, k);
        case 1: return spike(r, 1, row, k);
        case 2: return spike(r, 2, row, k);
        case 3: return rising(r, row, k);
        case 4: return normal * power_of_two((int64_t)(assay_random(bits, 0, 7) % 13) - 6);
        default: return normal;
        }
    default: return normal;
    }
}

static double w_value(const gemm_recipe *r, int64_t row, int64_t k) {
    const uint64_t bits = w_random(r, row, k);
    const double normal = assay_random_normal(bits);
    switch (r->kind) {
    case GEMM_HEAVY: return normal * power_of_two((int64_t)(assay_random(bits, 0, 7) % 13) - 6);
    case GEMM_EXACT: return integer(bits);
    case GEMM_SCALES: return normal * power_of_two((int64_t)(row_random(r, ~row) % 13) - 6);
    case GEMM_CANCEL:
        return assay_random_normal(w_random(r, row, cancels(r, k) < 0 ? k : cancels(r, k)));
    case GEMM_RISING: return 1.0 + assay_random_uniform(bits);
    case GEMM_SPECIAL:
        if (row % 8 == 5 && k == (row * 3) % r->k) return bits & 1 ? (double)INFINITY : (double)NAN;
        if (row % 8 == 6) return normal * 0x1p-120;
        return row % 8 == 7 ? normal * 0x1p3 : normal;
    case GEMM_ONES: return 1.0;
    default: return normal;
    }
}

void gemm_generate_x(const gemm_recipe *r, uint16_t *x) {
    for (int64_t row = 0; row < r->m; row++)
        for (int64_t k = 0; k < r->k; k++)
            x[row * r->k + k] = (uint16_t)assay_bf16_encode(x_value(r, row, k));
}

void gemm_generate_w(const gemm_recipe *r, uint16_t *w) {
    for (int64_t row = 0; row < r->n; row++)
        for (int64_t k = 0; k < r->k; k++)
            w[row * r->k + k] = (uint16_t)assay_bf16_encode(w_value(r, row, k));
}
