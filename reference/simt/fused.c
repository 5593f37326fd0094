/* The fused operator of assay/mma.h for 16 x 8 tiles of 16-bit operands, fast: kernels spend their
 * time here. Parameters come from the chip's record and tests compare it with the plain model.
 *
 * The eight columns are the lanes of a vector. A product of two significands, moved up to
 * `fraction` bits, is below 2^27, so 16 of them add up in 32 bits; c joins in float64, where the
 * sum is exact. Rows with an infinity or a NaN among their terms go through the plain model.
 */
#include "fused.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };
enum { NO_NUMBER = -10000 }; /* exponent of a zero operand: it never sets the alignment */

typedef int32_t row_i32 __attribute__((vector_size(4 * COLUMNS)));
typedef uint16_t row_u16 __attribute__((vector_size(2 * COLUMNS)));
typedef int32_t half_i32 __attribute__((vector_size(2 * COLUMNS)));
typedef int64_t half_i64 __attribute__((vector_size(4 * COLUMNS)));
typedef double half_f64 __attribute__((vector_size(4 * COLUMNS)));
typedef float half_f32 __attribute__((vector_size(2 * COLUMNS)));

typedef struct operand {
    row_i32 significand, exponent; /* with its sign */
} operand;

bool simt_fused_serves(const assay_mma *mma) {
    const assay_mma_rule *r = &mma->rule;
    const int product_bits = mma->a == ASSAY_MMA_BF16 ? 14 : 20;
    return (mma->a == ASSAY_MMA_BF16 || mma->a == ASSAY_MMA_F16) && mma->b == mma->a &&
           mma->d == ASSAY_MMA_F32 && r->op == ASSAY_MMA_FUSED &&
           r->align == ASSAY_MMA_TOWARD_ZERO && r->round == ASSAY_MMA_TOWARD_ZERO &&
           r->keep == 23 && r->floor <= -126 && r->fraction >= 23 && r->fraction <= 25 &&
           r->fraction >= product_bits && r->terms <= DEPTH && mma->k <= DEPTH &&
           mma->k % r->terms == 0 && !r->flush_subnormals && !r->signed_zero &&
           !r->infinite_products;
}

static row_i32 choose(row_i32 condition, row_i32 yes, row_i32 no) {
    return (condition & yes) | (~condition & no);
}

/* Eight codes; *special gathers those that are no number. */
static operand decode(const assay_mma *mma, row_i32 code, row_i32 *special) {
    const int bits = mma->a == ASSAY_MMA_BF16 ? 7 : 10, bias = mma->a == ASSAY_MMA_BF16 ? 127 : 15;
    const int top = 2 * bias + 1;
    const row_i32 zero = {0};
    const int32_t one = 1 << bits;
    const row_i32 field = (code >> bits) & top, fraction = code & (zero + (one - 1));
    const row_i32 normal = field != zero;
    const row_i32 magnitude = fraction | (normal & (zero + one));
    *special |= field == zero + top;
    return (operand){
        choose((code & 0x8000) != zero, -magnitude, magnitude),
        choose(magnitude == zero, zero + NO_NUMBER, choose(normal, field, zero + 1) - bias)};
}

#if defined(__AVX2__)
static row_i32 greater_of(row_i32 a, row_i32 b) {
    return (row_i32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

/* v / 2^n toward zero; n may be as large as it likes. */
static row_i32 shifted(row_i32 v, row_i32 n) {
    const __m256i magnitude = _mm256_srlv_epi32(_mm256_abs_epi32((__m256i)v), (__m256i)n);
    return (row_i32)_mm256_sign_epi32(magnitude, (__m256i)v);
}

static bool any(row_i32 v) { return !_mm256_testz_si256((__m256i)v, (__m256i)v); }
#else
static row_i32 greater_of(row_i32 a, row_i32 b) { return choose(a > b, a, b); }

static row_i32 shifted(row_i32 v, row_i32 n) {
    const row_i32 sign = v >> 31, most = {31, 31, 31, 31, 31, 31, 31, 31};
    return ((((v ^ sign) - sign) >> choose(n > most, most, n)) ^ sign) - sign;
}

static bool any(row_i32 v) {
    int32_t all = 0;
    for (int i = 0; i < COLUMNS; i++) all |= v[i];
    return all != 0;
}
#endif

/* Rounds four sums, in units of 2^unit, toward zero to f32. */
static void round_half(half_i32 products, half_i32 c, half_i32 unit, float *out) {
    const half_i64 exponent = __builtin_convertvector(unit, half_i64) + 1023;
    const half_f64 sum =
        __builtin_convertvector(products, half_f64) + __builtin_convertvector(c, half_f64);
    const half_f64 value = sum * (half_f64)(exponent << 52);
    const half_i64 bits = (half_i64)value;
    const half_f32 rounded =
        __builtin_convertvector((half_f64)(bits & ~INT64_C(0x1fffffff)), half_f32);
    memcpy(out, &rounded, sizeof rounded);
    const half_i64 tiny = (bits & INT64_MAX) < INT64_C(0x3810000000000000) /* 2^-126 */;
    if (!any((row_i32)tiny)) return;
    for (int i = 0; i < COLUMNS / 2; i++) {
        if (tiny[i] == 0) continue;
        const int32_t units = (int32_t)(value[i] * 0x1p149); /* toward zero; 0 gives +0 */
        out[i] = (float)units * 0x1p-149f;
    }
}

static void round_row(row_i32 products, row_i32 c, row_i32 unit, float *out) {
    half_i32 p[2], a[2], u[2];
    memcpy(p, &products, sizeof p);
    memcpy(a, &c, sizeof a);
    memcpy(u, &unit, sizeof u);
    for (int h = 0; h < 2; h++) round_half(p[h], a[h], u[h], out + h * COLUMNS / 2);
}

/* c += `terms` products, one row of a; false, and c as it was, where c is no number. */
static inline __attribute__((always_inline)) bool step(const assay_mma_rule *rule, int terms,
                                                       const int32_t *significand,
                                                       const int32_t *exponent, const operand *b,
                                                       int up, float *c) {
    const row_i32 zero = {0};
    row_i32 bits, products[DEPTH], exponents[DEPTH];
    memcpy(&bits, c, sizeof bits);
    const row_i32 field = (bits >> 23) & 0xff, fraction = bits & 0x7fffff;
    if (any(field == zero + 0xff)) return false;
    const row_i32 normal = field != zero;
    const row_i32 magnitude = fraction | (normal & (zero + 0x800000));
    const row_i32 c_exponent =
        choose(magnitude == zero, zero + rule->floor, choose(normal, field, zero + 1) - 127);
    row_i32 largest = c_exponent;
    for (int k = 0; k < terms; k++) {
        products[k] = (b[k].significand * significand[k]) << up;
        exponents[k] = b[k].exponent + exponent[k];
        largest = greater_of(exponents[k], largest);
    }
    row_i32 sum = {0};
    for (int k = 0; k < terms; k++) sum += shifted(products[k], largest - exponents[k]);
    const row_i32 moved = magnitude << (rule->fraction - 23);
    round_row(sum, shifted(choose(bits < zero, -moved, moved), largest - c_exponent),
              largest - rule->fraction, c);
    return true;
}

/* One row through the whole instruction. */
static bool chain(const assay_mma *mma, const int32_t *significand, const int32_t *exponent,
                  const operand *b, int up, float *c) {
    const assay_mma_rule *rule = &mma->rule;
    if (rule->terms == DEPTH) return step(rule, DEPTH, significand, exponent, b, up, c);
    for (int k = 0; k < mma->k; k += rule->terms)
        if (!step(rule, rule->terms, significand + k, exponent + k, b + k, up, c)) return false;
    return true;
}

static void plain_row(const assay_mma *mma, const uint16_t *a, const uint16_t (*b)[DEPTH],
                      float *c) {
    for (int column = 0; column < COLUMNS; column++) {
        uint32_t bits;
        memcpy(&bits, &c[column], 4);
        bits = (uint32_t)assay_mma_dot(mma, a, b[column], bits, NULL, NULL);
        memcpy(&c[column], &bits, 4);
    }
}

void simt_fused_multiply(const assay_mma *mma, const uint16_t a[ROWS][DEPTH],
                         const uint16_t b[COLUMNS][DEPTH], float c[ROWS][COLUMNS]) {
    const int up = mma->rule.fraction - (mma->a == ASSAY_MMA_BF16 ? 14 : 20);
    operand columns[DEPTH];
    row_i32 special = {0};
    for (int k = 0; k < mma->k; k++) {
        row_i32 code;
        for (int i = 0; i < COLUMNS; i++) code[i] = b[i][k];
        columns[k] = decode(mma, code, &special);
    }
    const bool columns_special = any(special);
    for (int row = 0; row < ROWS; row++) {
        operand terms[DEPTH / COLUMNS];
        row_i32 row_special = {0};
        int32_t significand[DEPTH], exponent[DEPTH];
        for (int half = 0; half < DEPTH / COLUMNS; half++) {
            row_u16 codes;
            memcpy(&codes, a[row] + half * COLUMNS, sizeof codes);
            terms[half] = decode(mma, __builtin_convertvector(codes, row_i32), &row_special);
            memcpy(significand + half * COLUMNS, &terms[half].significand, sizeof(row_i32));
            memcpy(exponent + half * COLUMNS, &terms[half].exponent, sizeof(row_i32));
        }
        float given[COLUMNS];
        memcpy(given, c[row], sizeof given);
        if (columns_special || any(row_special) ||
            !chain(mma, significand, exponent, columns, up, c[row])) {
            memcpy(c[row], given, sizeof given);
            plain_row(mma, a[row], b, c[row]);
        }
    }
}
