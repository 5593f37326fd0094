/* GGUF blocks against twins that follow ggml's loops, on bytes of every value: which bits belong to
 * which element, and the exact value; the reference quantisers on designed and random blocks. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "assay/blocks.h"
#include "assay/formats.h"

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double half_float(const uint8_t *p) { /* IEEE binary16, by its formula */
    int bits = p[0] + 256 * p[1], exponent = bits / 1024 % 32, fraction = bits % 1024;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31) value = fraction ? (double)NAN : (double)INFINITY;
    return bits >= 32768 ? -value : value;
}

static const double fp4[16] = {0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6};

/* ---- decode: the loops of ggml's dequantize_row_*, pointers advancing */

static void twin_4_5(const uint8_t *p, double *y, bool minimum, bool fifth) {
    double d = half_float(p), m = minimum ? half_float(p + 2) : 0;
    p += minimum ? 4 : 2;
    uint32_t high = 0;
    if (fifth) {
        for (int i = 3; i >= 0; i--) high = high * 256 + p[i];
        p += 4;
    }
    int offset = minimum ? 0 : fifth ? -16 : -8;
    for (int j = 0; j < 16; j++) {
        int x0 = p[j] % 16 + (high & UINT32_C(1) << j ? 16 : 0) + offset;
        int x1 = p[j] / 16 + (high & UINT32_C(65536) << j ? 16 : 0) + offset;
        y[j] = minimum ? x0 * d + m : x0 * d;
        y[16 + j] = minimum ? x1 * d + m : x1 * d;
    }
}

static void twin_q8_0(const uint8_t *p, double *y) {
    for (int j = 0; j < 32; j++) y[j] = half_float(p) * (int8_t)p[2 + j];
}

/* All sixteen 6-bit numbers at once, from the 12 bytes as three 32-bit words. */
static void k_scales(const uint8_t *p, int scale[8], int minimum[8]) {
    for (int j = 0; j < 4; j++) {
        scale[j] = p[j] % 64;
        minimum[j] = p[4 + j] % 64;
        scale[4 + j] = p[8 + j] % 16 + p[j] / 64 * 16;
        minimum[4 + j] = p[8 + j] / 16 + p[4 + j] / 64 * 16;
    }
}

static void twin_k(const uint8_t *p, double *y, bool fifth) {
    int scale[8], minimum[8], is = 0;
    double d = half_float(p), dmin = half_float(p + 2);
    k_scales(p + 4, scale, minimum);
    const uint8_t *qh = p + 16, *ql = fifth ? p + 48 : p + 16;
    for (int j = 0; j < 256; j += 64, ql += 32) {
        for (int half = 0; half < 2; half++, is++) {
            for (int l = 0; l < 32; l++) {
                int q = half ? ql[l] / 16 : ql[l] % 16;
                if (fifth && (qh[l] & 1 << is)) q += 16;
                *y++ = d * scale[is] * q - dmin * minimum[is];
            }
        }
    }
}

static void twin_q6_k(const uint8_t *p, double *y) {
    const uint8_t *ql = p, *qh = p + 128;
    const int8_t *sc = (const int8_t *)p + 192;
    double d = half_float(p + 208);
    for (int n = 0; n < 256; n += 128, y += 128, ql += 64, qh += 32, sc += 8) {
        for (int l = 0; l < 32; l++) {
            int is = l / 16;
            y[l] = d * sc[is] * (ql[l] % 16 + qh[l] % 4 * 16 - 32);
            y[l + 32] = d * sc[is + 2] * (ql[l + 32] % 16 + qh[l] / 4 % 4 * 16 - 32);
            y[l + 64] = d * sc[is + 4] * (ql[l] / 16 + qh[l] / 16 % 4 * 16 - 32);
            y[l + 96] = d * sc[is + 6] * (ql[l + 32] / 16 + qh[l] / 64 * 16 - 32);
        }
    }
}

static double ue4m3(int code) { /* ggml's */
    int exponent = code / 8 % 16, fraction = code % 8;
    if (code == 0 || code == 0x7f) return 0;
    return exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
}

static void twin_mxfp4(const uint8_t *p, double *y) {
    for (int j = 0; j < 16; j++) {
        y[j] = ldexp(fp4[p[1 + j] % 16], p[0] - 127);
        y[16 + j] = ldexp(fp4[p[1 + j] / 16], p[0] - 127);
    }
}

static void twin_nvfp4(const uint8_t *p, double *y) {
    const uint8_t *q = p + 4;
    for (int s = 0; s < 4; s++, y += 16, q += 8) {
        for (int j = 0; j < 8; j++) {
            y[j] = ue4m3(p[s]) * fp4[q[j] % 16];
            y[8 + j] = ue4m3(p[s]) * fp4[q[j] / 16];
        }
    }
}

static void twin_decode_block(assay_block block, const uint8_t *p, double *y) {
    switch (block) {
    case ASSAY_BLOCK_Q4_0: twin_4_5(p, y, false, false); break;
    case ASSAY_BLOCK_Q4_1: twin_4_5(p, y, true, false); break;
    case ASSAY_BLOCK_Q5_0: twin_4_5(p, y, false, true); break;
    case ASSAY_BLOCK_Q5_1: twin_4_5(p, y, true, true); break;
    case ASSAY_BLOCK_Q8_0: twin_q8_0(p, y); break;
    case ASSAY_BLOCK_Q4_K: twin_k(p, y, false); break;
    case ASSAY_BLOCK_Q5_K: twin_k(p, y, true); break;
    case ASSAY_BLOCK_Q6_K: twin_q6_k(p, y); break;
    case ASSAY_BLOCK_MXFP4: twin_mxfp4(p, y); break;
    case ASSAY_BLOCK_NVFP4: twin_nvfp4(p, y); break;
    case ASSAY_BLOCK_COUNT: break;
    }
}

/* -0 and +0 differ only where ggml multiplies integers, which have no -0; both twins and decoder
 * go through the doubled table there, so values are compared, and bits where they are not zero. */
static void check_decode(assay_block block, const uint8_t *bytes, int64_t blocks) {
    const assay_block_info *info = assay_block_describe(block);
    static double got[4 * 256], due[256];
    int64_t count = blocks * info->elements;
    memset(got, 0xff, sizeof got);
    cr_assert(assay_block_decode(block, bytes, count, got) == ASSAY_OK);
    for (int64_t b = 0; b < blocks; b++) {
        twin_decode_block(block, bytes + b * info->bytes, due);
        for (int i = 0; i < info->elements; i++) {
            double x = got[b * info->elements + i];
            cr_assert(x == due[i] || (isnan(x) && isnan(due[i])), "%s element %d: %a, due %a",
                      info->name, i, x, due[i]);
        }
    }
    uint64_t guard;
    if (count < 4 * 256) {
        memcpy(&guard, &got[count], sizeof guard);
        cr_assert(guard == UINT64_MAX, "%s wrote beyond the block", info->name);
    }
}

Test(formats, gguf_random_blocks_decode_as_ggml_loops) {
    uint64_t state = UINT64_C(0x5eed0b10c5);
    for (int block = 0; block < ASSAY_BLOCK_COUNT; block++) {
        for (int i = 0; i < 400; i++) {
            uint8_t bytes[3 * 256];
            for (size_t j = 0; j < sizeof bytes; j++) bytes[j] = (uint8_t)next_random(&state);
            check_decode((assay_block)block, bytes, 3);
        }
    }
}

/* One bit set, all others clear but the scales: each bit reaches one element (or one sub-block). */
Test(formats, gguf_every_bit_of_a_block) {
    for (int block = 0; block < ASSAY_BLOCK_COUNT; block++) {
        const assay_block_info *info = assay_block_describe((assay_block)block);
        for (int bit = 0; bit < 8 * info->bytes; bit++) {
            uint8_t bytes[256] = {0};
            bytes[1] = 0x3c; /* d = 1 where it comes first */
            if (block == ASSAY_BLOCK_Q6_K) {
                bytes[209] = 0x3c;
                for (int s = 192; s < 208; s++) bytes[s] = (uint8_t)(s - 190);
            }
            if (block == ASSAY_BLOCK_NVFP4) memset(bytes, 0x38, 4);
            if (block == ASSAY_BLOCK_MXFP4) bytes[0] = 0x80, bytes[1] = 0;
            if (block == ASSAY_BLOCK_Q4_K || block == ASSAY_BLOCK_Q5_K) {
                bytes[3] = 0x40;
                for (int s = 4; s < 16; s++) bytes[s] = (uint8_t)(0x51 + s);
            }
            bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
            check_decode((assay_block)block, bytes, 1);
        }
    }
}

Test(formats, gguf_every_scale_byte) {
    for (int code = 0; code < 65536; code++) {
        uint8_t bytes[36] = {(uint8_t)code, (uint8_t)(code >> 8), 0x21, 0xf4, 0x80, 0x0f};
        for (int j = 6; j < 36; j++) bytes[j] = (uint8_t)(j * 29);
        check_decode(ASSAY_BLOCK_Q4_0, bytes, 1);
        check_decode(ASSAY_BLOCK_Q8_0, bytes, 1);
        if (code >= 256) continue;
        check_decode(ASSAY_BLOCK_MXFP4, bytes, 1);
        for (int s = 0; s < 4; s++) bytes[s] = (uint8_t)(code + 61 * s);
        check_decode(ASSAY_BLOCK_NVFP4, bytes, 1);
    }
    double values[64];
    uint8_t nan_scale[36] = {0x7f, 0xff, 0x80, 0x00, 0x77, 0x77};
    cr_assert(assay_block_decode(ASSAY_BLOCK_NVFP4, nan_scale, 64, values) == ASSAY_OK);
    cr_assert(values[0] == 0 && values[16] == 0 && values[32] == 0);
    nan_scale[0] = 0xff; /* MXFP4: 2^128, not NaN */
    nan_scale[1] = 0x02;
    cr_assert(assay_block_decode(ASSAY_BLOCK_MXFP4, nan_scale, 32, values) == ASSAY_OK);
    cr_assert(values[0] == 0x1p128);
}

/* ---- quantise: ggml's reference functions, transcribed in float64 with each float step rounded */

static float times(float a, float b) { return (float)((double)a * (double)b); }
static float plus(float a, float b) { return (float)((double)a + (double)b); }
static float inverse(float d) {
    float i = d == 0 ? 0 : (float)(1 / (double)d);
    return isinf(i) ? 0 : i;
}
static void put_half(uint8_t *p, float value) {
    uint32_t code = assay_f16_encode((double)value);
    p[0] = (uint8_t)code;
    p[1] = (uint8_t)(code >> 8);
}
static int limit(double x, int top) { return x < top ? (int)x : top; }

static void twin_quantise_4_5(const float *x, uint8_t *p, bool minimum, bool fifth) {
    int top = fifth ? 31 : 15, q[32];
    float peak = 0, lo = FLT_MAX, hi = -FLT_MAX;
    for (int j = 0; j < 32; j++) {
        if (fabsf(x[j]) > fabsf(peak)) peak = x[j];
        lo = fminf(lo, x[j]);
        hi = fmaxf(hi, x[j]);
    }
    float d = minimum ? (float)((double)(float)((double)hi - (double)lo) / top)
                      : (float)((double)peak / (fifth ? -16 : -8));
    float id = inverse(d);
    for (int j = 0; j < 32; j++) {
        float scaled = minimum ? plus(times(plus(x[j], -lo), id), 0.5f)
                               : plus(times(x[j], id), fifth ? 16.5f : 8.5f);
        q[j] = isnan(scaled) ? 0 : limit((double)scaled, top);
    }
    put_half(p, d);
    p += 2;
    if (minimum) {
        put_half(p, lo);
        p += 2;
    }
    if (fifth) {
        uint32_t high = 0;
        for (int j = 31; j >= 0; j--) high = high * 2 + (uint32_t)(q[j] / 16);
        for (int j = 0; j < 4; j++) *p++ = (uint8_t)(high >> 8 * j);
    }
    for (int j = 0; j < 16; j++) *p++ = (uint8_t)(q[j] % 16 + 16 * (q[j + 16] % 16));
}

static float absmax_of(const float *x, int n) {
    float a = 0;
    for (int j = 0; j < n; j++) a = fmaxf(a, fabsf(x[j]));
    return a;
}

static void twin_quantise_q8_0(const float *x, uint8_t *p) {
    float d = (float)((double)absmax_of(x, 32) / 127);
    put_half(p, d);
    for (int j = 0; j < 32; j++) p[2 + j] = (uint8_t)(int8_t)roundf(times(x[j], inverse(d)));
}

static int nearest(float x, float scale) {
    int best = 0;
    for (int c = 1; c < 16; c++) {
        float now = plus(times((float)fp4[c] * 2, scale), -x);
        float then = plus(times((float)fp4[best] * 2, scale), -x);
        if (fabsf(now) < fabsf(then)) best = c;
    }
    return best;
}

static void twin_quantise_mxfp4(const float *x, uint8_t *p) {
    int e;
    frexpf(absmax_of(x, 32), &e); /* floor(log2) + 1 */
    e = absmax_of(x, 32) == 0 || e - 3 + 127 < 0 ? 0 : e - 3 + 127;
    p[0] = (uint8_t)e;
    for (int j = 0; j < 16; j++)
        p[1 + j] = (uint8_t)(nearest(x[j], ldexpf(1, e - 128)) +
                             16 * nearest(x[j + 16], ldexpf(1, e - 128)));
}

static int ggml_ue4m3(float x) { /* bit by bit as ggml_fp32_to_ue4m3 goes */
    if (!(x > 0)) return 0;
    if (x > 448) x = 448;
    int e;
    double m = frexp((double)x, &e) * 2; /* [1, 2) */
    int exponent = e - 1 + 7;
    if (exponent <= 0) return limit((double)plus(times(x, 512), 0.5f), 7);
    if (exponent >= 15) return 0x7e;
    int sixteenths = (int)floor((m - 1) * 16), fraction = sixteenths / 2 + sixteenths % 2;
    if (fraction == 8) {
        fraction = 0;
        if (++exponent >= 15) return 0x7e;
    }
    return exponent * 8 + fraction;
}

static void twin_quantise_nvfp4(const float *x, uint8_t *p) {
    for (int s = 0; s < 4; s++, x += 16) {
        p[s] = (uint8_t)ggml_ue4m3((float)((double)absmax_of(x, 16) / 6));
        float half = (float)(ue4m3(p[s]) / 2);
        for (int j = 0; j < 8; j++)
            p[4 + 8 * s + j] = (uint8_t)(nearest(x[j], half) + 16 * nearest(x[8 + j], half));
    }
}

static void check_quantise(assay_block block, const float *x, const char *what) {
    const assay_block_info *info = assay_block_describe(block);
    uint8_t got[40], due[40];
    memset(got, 0xa5, sizeof got);
    memset(due, 0xa5, sizeof due);
    cr_assert(assay_block_quantise(block, x, info->elements, got) == ASSAY_OK);
    switch (block) {
    case ASSAY_BLOCK_Q4_0: twin_quantise_4_5(x, due, false, false); break;
    case ASSAY_BLOCK_Q4_1: twin_quantise_4_5(x, due, true, false); break;
    case ASSAY_BLOCK_Q5_0: twin_quantise_4_5(x, due, false, true); break;
    case ASSAY_BLOCK_Q5_1: twin_quantise_4_5(x, due, true, true); break;
    case ASSAY_BLOCK_Q8_0: twin_quantise_q8_0(x, due); break;
    case ASSAY_BLOCK_MXFP4: twin_quantise_mxfp4(x, due); break;
    case ASSAY_BLOCK_NVFP4: twin_quantise_nvfp4(x, due); break;
    default: cr_assert(false, "no twin");
    }
    for (size_t i = 0; i < sizeof got; i++)
        cr_assert(got[i] == due[i], "%s, %s: byte %zu is %#x, due %#x", info->name, what, i, got[i],
                  due[i]);
}

static void check_all_quantisers(const float *x, const char *what) {
    for (int block = 0; block < ASSAY_BLOCK_COUNT; block++)
        if (assay_block_describe((assay_block)block)->quantises)
            check_quantise((assay_block)block, x, what);
}

Test(formats, gguf_quantisers_on_designed_blocks) {
    float x[64];
    for (int j = 0; j < 64; j++) x[j] = 0;
    check_all_quantisers(x, "zeros");
    for (int j = 0; j < 64; j++) x[j] = -0.0f;
    check_all_quantisers(x, "negative zeros");
    for (int k = -149; k < 128; k++) { /* subnormals, tiny, huge */
        for (int j = 0; j < 64; j++) x[j] = ldexpf((float)(j - 31) / 32, k);
        check_all_quantisers(x, "ramp times a power of two");
        for (int j = 0; j < 64; j++) x[j] = ldexpf(1.5f, k > 126 ? 126 : k) * (j == 17 || j == 50);
        check_all_quantisers(x, "one outlier");
    }
    for (int j = 0; j < 64; j++) x[j] = (float)(j % 32 - 16) / 2; /* ties for every code */
    check_all_quantisers(x, "halves");
    for (int j = 0; j < 64; j++) x[j] = j % 3 ? 0.25f * (float)(j % 25) : 6; /* FP4 ties */
    check_all_quantisers(x, "quarters");
    for (int j = 0; j < 64; j++) x[j] = j % 2 ? FLT_MAX : -FLT_MAX;
    check_all_quantisers(x, "largest of both signs");
    for (int step = -4; step < 40; step++) { /* block scales around 7/512, 248, 256 and 448 */
        static const float scale[4] = {0x1.cp-6f, 248, 256, 448};
        for (int j = 0; j < 64; j++)
            x[j] = scale[j / 16] * 6 * (1 + (float)step / 64) * (float)(j % 16) / 15;
        check_all_quantisers(x, "scales at the ends of ue4m3");
    }
}

Test(formats, gguf_quantisers_on_random_blocks) {
    uint64_t state = UINT64_C(0x5eed0b10c6);
    for (int i = 0; i < 1500; i++) {
        float x[64];
        int spread = i % 3 ? 2 : 20;
        for (int j = 0; j < 64; j++) {
            int64_t m = (int64_t)(next_random(&state) % 4096) - 2048;
            x[j] = ldexpf((float)m, i % 40 - 30 - (int)(next_random(&state) % (uint64_t)spread));
        }
        check_all_quantisers(x, "random");
    }
}

Test(formats, gguf_tables_and_refusals) {
    static const struct {
        const char *name;
        int id, elements, bytes;
    } rows[] = {{"Q4_0", 2, 32, 18},    {"Q4_1", 3, 32, 20},    {"Q5_0", 6, 32, 22},
                {"Q5_1", 7, 32, 24},    {"Q8_0", 8, 32, 34},    {"Q4_K", 12, 256, 144},
                {"Q5_K", 13, 256, 176}, {"Q6_K", 14, 256, 210}, {"MXFP4", 39, 32, 17},
                {"NVFP4", 40, 64, 36}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assay_block by_name = ASSAY_BLOCK_COUNT, by_id = ASSAY_BLOCK_COUNT;
        cr_assert(assay_block_parse(rows[i].name, &by_name) && by_name == (assay_block)i);
        cr_assert(assay_block_from_gguf(rows[i].id, &by_id) && by_id == by_name);
        const assay_block_info *info = assay_block_describe(by_name);
        cr_assert(info->elements == rows[i].elements && info->bytes == rows[i].bytes);
    }
    assay_block block = ASSAY_BLOCK_Q8_0;
    cr_assert(!assay_block_parse("q4_0", &block) && !assay_block_from_gguf(1, &block));
    cr_assert(block == ASSAY_BLOCK_Q8_0 && assay_block_describe(ASSAY_BLOCK_COUNT) == NULL);

    uint8_t bytes[64];
    double values[256];
    float x[64] = {0};
    memset(bytes, 0xa5, sizeof bytes);
    cr_assert(assay_block_decode(ASSAY_BLOCK_COUNT, bytes, 32, values) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_block_decode(ASSAY_BLOCK_Q4_0, bytes, 33, values) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_block_decode(ASSAY_BLOCK_Q4_0, bytes, -32, values) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_block_decode(ASSAY_BLOCK_Q4_0, NULL, 32, values) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_block_decode(ASSAY_BLOCK_Q4_0, bytes, 32, NULL) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_block_decode(ASSAY_BLOCK_Q4_0, NULL, 0, NULL) == ASSAY_OK);
    cr_assert(assay_block_quantise(ASSAY_BLOCK_Q4_K, x, 0, bytes) == ASSAY_ERR_UNSUPPORTED);
    cr_assert(assay_block_quantise(ASSAY_BLOCK_NVFP4, x, 32, bytes) == ASSAY_ERR_ARGUMENT);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        x[63] = bad[i];
        cr_assert(assay_block_quantise(ASSAY_BLOCK_Q8_0, x, 64, bytes) == ASSAY_ERR_ARGUMENT);
        cr_assert(strstr(assay_last_error(), "element 63") != NULL);
    }
    for (size_t i = 0; i < sizeof bytes; i++) cr_assert(bytes[i] == 0xa5, "a refused call wrote");
}
