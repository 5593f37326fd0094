/* Number formats against an independent twin.
 *
 * Decode twin: the formula of the standard in long double with ldexpl. Encode twin: a search over
 * all decoded values and a comparison with the midpoint of the two neighbours, which float64 holds
 * exactly. For f16 and f32 the host's own conversions are a second witness.
 */
#include <criterion/criterion.h>
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "assay/formats.h"

TestSuite(formats, .timeout = 20);

#define SEED UINT64_C(0x5eed0f0f0a55a7)
#define SAMPLES 1000000

typedef struct layout {
    assay_dtype dtype;
    int ebits, mbits;
    uint32_t nan;
} layout;

static const layout f32 = {ASSAY_F32, 8, 23, ASSAY_F32_NAN};
static const layout f16 = {ASSAY_F16, 5, 10, ASSAY_F16_NAN};
static const layout bf16 = {ASSAY_BF16, 8, 7, ASSAY_BF16_NAN};

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t sign_bit(layout f) { return UINT32_C(1) << (f.ebits + f.mbits); }
static uint32_t infinity(layout f) { return ((UINT32_C(1) << f.ebits) - 1) << f.mbits; }

static bool same_double(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static double twin_decode(layout f, uint32_t code) {
    int bias = (1 << (f.ebits - 1)) - 1;
    uint32_t magnitude = code & (sign_bit(f) - 1);
    int exponent = (int)(magnitude >> f.mbits);
    long double fraction = (long double)(magnitude % (UINT32_C(1) << f.mbits));
    long double value = exponent == 0 ? ldexpl(fraction, 1 - bias - f.mbits)
                                      : ldexpl(1 + ldexpl(fraction, -f.mbits), exponent - bias);
    if (magnitude == infinity(f)) value = INFINITY;
    if (magnitude > infinity(f)) value = NAN;
    return (double)(code & sign_bit(f) ? -value : value);
}

/* The largest finite value plus half its ulp: the first that is nearer to "infinity". */
static double overflow_threshold(layout f) {
    double top = twin_decode(f, infinity(f) - 1), below = twin_decode(f, infinity(f) - 2);
    return top + (top - below) / 2;
}

static uint32_t twin_encode(layout f, double value) {
    if (isnan(value)) return f.nan;
    uint32_t sign = signbit(value) ? sign_bit(f) : 0;
    double a = fabs(value);
    if (a >= overflow_threshold(f)) return sign | infinity(f);
    uint32_t low = 0, high = infinity(f); /* decode(low) <= a < decode(high) or beyond the top */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (twin_decode(f, middle) <= a)
            low = middle;
        else
            high = middle;
    }
    if (high == infinity(f)) return sign | low;
    double midpoint = twin_decode(f, low) / 2 + twin_decode(f, high) / 2;
    bool up = a > midpoint || (a == midpoint && low % 2 == 1);
    return sign | (up ? high : low);
}

static void check_encode(layout f, double value) {
    uint32_t got = assay_format_encode(f.dtype, value), due = twin_encode(f, value);
    cr_assert(got == due, "%s encode(%a) = %#x, due %#x", assay_dtype_name(f.dtype), value, got,
              due);
}

/* ---- decode */

static void check_decode_all(layout f) {
    for (uint32_t code = 0; code < 65536; code++) {
        double got = assay_format_decode(f.dtype, code), due = twin_decode(f, code);
        cr_assert(same_double(got, due), "%s decode(%#x) = %a, due %a", assay_dtype_name(f.dtype),
                  code, got, due);
    }
}

Test(formats, decode_f16_all_codes) { check_decode_all(f16); }
Test(formats, decode_bf16_all_codes) { check_decode_all(bf16); }

__attribute__((target("f16c"))) static float hardware_f16_decode(uint32_t code) {
    return _cvtsh_ss((unsigned short)code);
}

__attribute__((target("f16c"))) static uint32_t hardware_f16_encode(float value) {
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}

Test(formats, f16_agrees_with_the_host_instruction) {
    if (!__builtin_cpu_supports("avx2")) return; /* implies F16C; the twin has covered all codes */
    for (uint32_t code = 0; code < 65536; code++)
        cr_assert(same_double(assay_f16_decode(code), (double)hardware_f16_decode(code)), "%#x",
                  code);
    uint64_t state = SEED;
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t bits = (uint32_t)next_random(&state);
        float value;
        if (i % 2) bits = (bits & 0x8fffffff) | 0x30000000; /* half of them in f16's range */
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) continue;
        cr_assert(assay_f16_encode((double)value) == hardware_f16_encode(value), "%a", value);
    }
}

static uint32_t boundary_f32(int i) { /* around every power of two, both signs */
    return ((uint32_t)(i / 5 % 512) << 23) + (uint32_t)(i % 5) - 2;
}

Test(formats, decode_f32_agrees_with_twin_and_cast) {
    uint64_t state = SEED;
    for (int i = 0; i < 200000; i++) {
        uint32_t code = i < 5 * 512 ? boundary_f32(i) : (uint32_t)next_random(&state);
        float value;
        memcpy(&value, &code, sizeof value);
        double got = assay_f32_decode(code);
        cr_assert(same_double(got, (double)value), "decode(%#x) = %a, cast %a", code, got, value);
        cr_assert(same_double(got, twin_decode(f32, code)), "decode(%#x) = %a", code, got);
    }
}

/* ---- encode */

static void check_round_trip(layout f, uint32_t code) {
    uint32_t due = assay_format_canonical(f.dtype, code);
    uint32_t got = assay_format_encode(f.dtype, assay_format_decode(f.dtype, code));
    cr_assert(got == due, "%s %#x: %#x", assay_dtype_name(f.dtype), code, got);
    bool is_nan = (code & (sign_bit(f) - 1)) > infinity(f);
    cr_assert(due == (is_nan ? f.nan : code), "%s canonical(%#x) = %#x", assay_dtype_name(f.dtype),
              code, due);
}

Test(formats, encode_inverts_decode) {
    for (uint32_t code = 0; code < 65536; code++) {
        check_round_trip(f16, code);
        check_round_trip(bf16, code);
    }
    uint64_t state = SEED;
    for (int i = 0; i < SAMPLES; i++)
        check_round_trip(f32, i < 5 * 512 ? boundary_f32(i) : (uint32_t)next_random(&state));
}

/* The midpoint above a code, and the float64 on either side of it, in both signs. The due codes
 * are known from the gap itself; no search is needed. */
static void check_gap(layout f, uint32_t low) {
    uint32_t high = low + 1;
    double a = twin_decode(f, low);
    double midpoint =
        high == infinity(f) ? overflow_threshold(f) : a / 2 + twin_decode(f, high) / 2;
    uint32_t even = low % 2 ? high : low;
    const struct {
        double value;
        uint32_t due;
    } at[] = {{nextafter(midpoint, 0), low},
              {midpoint, even},
              {nextafter(midpoint, INFINITY), high},
              {a, low}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        uint32_t got = assay_format_encode(f.dtype, at[i].value);
        uint32_t negative = assay_format_encode(f.dtype, -at[i].value);
        cr_assert(got == at[i].due && negative == (at[i].due | sign_bit(f)),
                  "%s encode(+-%a) = %#x %#x, due %#x", assay_dtype_name(f.dtype), at[i].value, got,
                  negative, at[i].due);
    }
}

Test(formats, midpoints_of_every_f16_gap) {
    for (uint32_t code = 0; code < infinity(f16); code++) check_gap(f16, code);
}

Test(formats, midpoints_of_every_bf16_gap) {
    for (uint32_t code = 0; code < infinity(bf16); code++) check_gap(bf16, code);
}

Test(formats, midpoints_of_f32_gaps) {
    for (int i = 2; i < 5 * 255; i++) check_gap(f32, boundary_f32(i));
    check_gap(f32, infinity(f32) - 1);
    uint64_t state = SEED;
    for (int i = 0; i < 200000; i++)
        check_gap(f32, (uint32_t)(next_random(&state) % infinity(f32)));
}

/* Any float64 bit pattern: subnormals, huge values, infinities, NaNs; half of them moved into the
 * exponent range of the format, where patterns rarely fall by themselves. */
static double random_double(uint64_t *state, layout f, int i) {
    uint64_t bits = next_random(state);
    if (i % 2) {
        int bias = (1 << (f.ebits - 1)) - 1, span = 2 * bias + f.mbits + 8;
        uint64_t exponent = (uint64_t)(1023 - bias - f.mbits - 4) + (bits >> 52) % (uint64_t)span;
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) | exponent << 52;
    } else if (i % 8 == 0) {
        bits &= ~(UINT64_C(0x7ff) << 52);
    }
    return bits_double(bits);
}

Test(formats, encode_f32_agrees_with_the_cast) {
    uint64_t state = SEED;
    for (int i = 0; i < SAMPLES; i++) {
        double value = random_double(&state, f32, i);
        if (isnan(value)) continue;
        float cast = (float)value;
        uint32_t due;
        memcpy(&due, &cast, sizeof due);
        cr_assert(assay_f32_encode(value) == due, "encode(%a) = %#x, cast %#x", value,
                  assay_f32_encode(value), due);
    }
}

Test(formats, encode_agrees_with_the_search) {
    uint64_t state = SEED;
    for (int i = 0; i < 40000; i++) {
        check_encode(f16, random_double(&state, f16, i));
        check_encode(bf16, random_double(&state, bf16, i));
        check_encode(f32, random_double(&state, f32, i));
    }
}

Test(formats, encode_is_monotone) {
    const layout all[] = {f32, f16, bf16};
    uint64_t state = SEED;
    for (int i = 0; i < 300000; i++) {
        layout f = all[i % 3];
        double a = random_double(&state, f, i), b = random_double(&state, f, i);
        if (i % 5 == 0) b = nextafter(a, b);
        if (isnan(a) || isnan(b)) continue;
        double x = assay_format_decode(f.dtype, assay_format_encode(f.dtype, a));
        double y = assay_format_decode(f.dtype, assay_format_encode(f.dtype, b));
        cr_assert(a <= b ? x <= y : x >= y, "%s %a %a", assay_dtype_name(f.dtype), a, b);
    }
}

Test(formats, limits_and_specials) {
    static const struct {
        assay_dtype dtype;
        double value;
        uint32_t code;
    } table[] = {
        {ASSAY_F32, 0x1.fffffep127, 0x7f7fffff},   /* largest */
        {ASSAY_F32, 0x1.ffffffp127, 0x7f800000},   /* tie above it: infinity */
        {ASSAY_F32, 0x1p-126, 0x00800000},         /* smallest normal */
        {ASSAY_F32, 0x1p-149, 0x00000001},         /* smallest subnormal */
        {ASSAY_F32, 0x1p-150, 0x00000000},         /* tie with zero */
        {ASSAY_F32, 0x1.000001p0, 0x3f800000},     /* tie above one */
        {ASSAY_F32, -0.0, 0x80000000},             /* signed zero */
        {ASSAY_F32, -DBL_TRUE_MIN, 0x80000000},    /* underflow keeps the sign */
        {ASSAY_F32, -DBL_MAX, 0xff800000},         /* overflow keeps the sign */
        {ASSAY_F16, 65504, 0x7bff},                /* largest */
        {ASSAY_F16, 65519.999, 0x7bff},            /* just below the tie */
        {ASSAY_F16, 65520, 0x7c00},                /* tie above it: infinity */
        {ASSAY_F16, 0x1p-14, 0x0400},              /* smallest normal */
        {ASSAY_F16, 0x1p-24, 0x0001},              /* smallest subnormal */
        {ASSAY_F16, 0x1p-25, 0x0000},              /* tie with zero */
        {ASSAY_F16, 0x1.0000000000001p-25, 1},     /* just above it */
        {ASSAY_F16, 0x1.ffep-15, 0x0400},          /* tie of largest subnormal, smallest normal */
        {ASSAY_F16, 0x1.0020000001p0, 0x3c01},     /* via f32 this would be a tie, and 0x3c00 */
        {ASSAY_F16, -0.0, 0x8000},                 /* signed zero */
        {ASSAY_BF16, 0x1.fep127, 0x7f7f},          /* largest */
        {ASSAY_BF16, 0x1.ffp127, 0x7f80},          /* tie above it: infinity */
        {ASSAY_BF16, 0x1p-133, 0x0001},            /* smallest subnormal */
        {ASSAY_BF16, 0x1p-134, 0x0000},            /* tie with zero */
        {ASSAY_BF16, 0x1.0100000000001p0, 0x3f81}, /* via f32 this would be a tie, and 0x3f80 */
        {ASSAY_BF16, 3.0, 0x4040},                 /* an exact one */
        {ASSAY_BF16, (double)-INFINITY, 0xff80},   /* infinity */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t got = assay_format_encode(table[i].dtype, table[i].value);
        cr_assert(got == table[i].code, "%s encode(%a) = %#x, due %#x",
                  assay_dtype_name(table[i].dtype), table[i].value, got, table[i].code);
    }
    const layout all[] = {f32, f16, bf16};
    for (size_t i = 0; i < 3; i++) {
        assay_dtype t = all[i].dtype;
        cr_assert(assay_format_encode(t, (double)NAN) == all[i].nan);
        cr_assert(assay_format_encode(t, copysign((double)NAN, -1.0)) == all[i].nan);
        cr_assert(assay_format_canonical(t, sign_bit(all[i]) | (infinity(all[i]) + 1)) ==
                  all[i].nan);
        cr_assert(assay_format_canonical(t, infinity(all[i])) == infinity(all[i]));
    }
    cr_assert(isnan(assay_format_decode(ASSAY_DTYPE_COUNT, 0)));
}

/* ---- distance and memory */

Test(formats, ulps_count_representable_values) {
    const layout all[] = {f32, f16, bf16};
    uint64_t state = SEED;
    for (int i = 0; i < 3; i++) {
        layout f = all[i];
        uint32_t minus = sign_bit(f), inf = infinity(f);
        cr_assert(assay_format_ulps(f.dtype, 0, minus) == 0);     /* zeros are one value */
        cr_assert(assay_format_ulps(f.dtype, 1, minus | 1) == 2); /* across zero */
        cr_assert(assay_format_ulps(f.dtype, inf - 1, inf) == 1);
        cr_assert(assay_format_ulps(f.dtype, inf, minus | inf) == 2 * (int64_t)inf);
        cr_assert(assay_format_ulps(f.dtype, f.nan, 0) == INT64_MAX);
        cr_assert(assay_format_ulps(f.dtype, 0, f.nan) == INT64_MAX);
        cr_assert(assay_format_ulps(f.dtype, f.nan, f.nan) == INT64_MAX);
        for (int j = 0; j < 1000; j++) { /* walk a few neighbours and count */
            uint32_t a = (uint32_t)(next_random(&state) % (inf - 64));
            int64_t steps = (int64_t)(next_random(&state) % 64);
            uint32_t b = a + (uint32_t)steps;
            cr_assert(assay_format_ulps(f.dtype, a, b) == steps, "%#x %#x", a, b);
            cr_assert(assay_format_ulps(f.dtype, minus | b, minus | a) == steps, "%#x %#x", a, b);
            cr_assert(assay_format_ulps(f.dtype, minus | a, b) == 2 * (int64_t)a + steps);
        }
    }
}

Test(formats, load_and_store_touch_one_element) {
    const layout all[] = {f32, f16, bf16};
    for (int i = 0; i < 3; i++) {
        size_t size = assay_dtype_size(all[i].dtype);
        unsigned char memory[1 + 3 * 4]; /* +1: elements need no alignment here */
        memset(memory, 0xa5, sizeof memory);
        uint32_t code = all[i].nan - 0x0102;
        assay_format_store(all[i].dtype, memory + 1, 1, code);
        cr_assert(assay_format_load(all[i].dtype, memory + 1, 1) == code);
        for (size_t b = 0; b < size; b++)
            cr_assert(memory[1 + size + b] == (unsigned char)(code >> 8 * b), "little endian");
        for (size_t b = 0; b < sizeof memory; b++)
            if (b < 1 + size || b >= 1 + 2 * size) cr_assert(memory[b] == 0xa5, "byte %zu", b);
    }
}
