/* The device layer on the executor: every function of device.h, and its scalar forms against
 * independent formulations (the formats' encoders, quadruple precision, 64-bit integers). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/simt.h"
#include "gpu/forms.h"
#include "unit/device_layer.h"

assay_kernel_entry assay_device_layer_simt, assay_forms_simt;

typedef struct bench {
    assay_simt *simt;
    uint32_t *out;
    float *values;
    uint64_t *wide;
    uint16_t *halves;
    device_layer_params params;
} bench;

static void *allocate(assay_simt *simt, const char *name, size_t bytes) {
    void *pointer;
    cr_assert_eq(assay_simt_alloc(simt, name, bytes, 0, &pointer), ASSAY_OK);
    memset(pointer, 0, bytes);
    return pointer;
}

static bench make(const char *chip) {
    const assay_simt_options options = {.chip = assay_chip_find(chip)};
    bench b;
    cr_assert_eq(assay_simt_create(&options, &b.simt), ASSAY_OK, "%s", assay_last_error());
    b.out = allocate(b.simt, "out", 1 << 18);
    b.values = allocate(b.simt, "values", 1 << 16);
    b.wide = allocate(b.simt, "wide", 64);
    b.halves = allocate(b.simt, "halves", 1 << 14);
    b.params =
        (device_layer_params){.out = b.out, .values = b.values, .wide = b.wide, .halves = b.halves};
    return b;
}

static void run(bench *b, int kernel, const assay_geometry *geometry) {
    cr_assert_eq(assay_device_layer_simt(kernel, geometry, &b->params, b->simt), ASSAY_OK, "%s",
                 assay_last_error());
}

static const char *const chips[] = {"h200", "mi300x"};

Test(device_layer, place) {
    for (int k = 0; k < 2; k++) {
        bench b = make(chips[k]);
        const uint32_t width = assay_chip_find(chips[k])->warp_size;
        const assay_geometry g = {.grid = {2, 3, 4}, .block = {8, 4, 3}};
        run(&b, DEVICE_LAYER_PLACE, &g);
        for (uint32_t block = 0; block < 24; block++) {
            for (uint32_t t = 0; t < 96; t++) {
                const uint32_t *got = b.out + 4 * (block * 96 + t);
                cr_assert_eq(got[0], t);
                cr_assert_eq(got[1], block + 4000);
                cr_assert_eq(got[2], t % width);
                cr_assert_eq(got[3], width);
            }
        }
        assay_simt_destroy(b.simt);
    }
}

Test(device_layer, warp) {
    for (int k = 0; k < 2; k++) {
        bench b = make(chips[k]);
        const uint32_t width = assay_chip_find(chips[k])->warp_size;
        const assay_geometry g = {.grid = {1, 1, 1}, .block = {2 * width, 1, 1}};
        run(&b, DEVICE_LAYER_WARP, &g);
        for (uint32_t t = 0; t < 2 * width; t++) {
            const uint32_t lane = t % width, *got = b.out + 8 * t;
            cr_assert_eq(got[0], 15u);
            cr_assert_eq(got[1], lane >= 2 ? lane - 2 : lane);
            cr_assert_eq(got[2], lane + 3 < width ? lane + 3 : lane);
            cr_assert_eq(got[3], lane ^ 1);
            cr_assert_eq(got[4], 0x49249249u);
            cr_assert_eq(got[5], 1u);
            cr_assert_eq(got[6], 1u);
            if (lane < 32) cr_assert_eq(got[7], lane < 16 ? 3u : 20u);
        }
        assay_simt_destroy(b.simt);
    }
}

Test(device_layer, shared_memory) {
    bench b = make("h200");
    const uint32_t n = 256;
    const assay_geometry g = {.grid = {3, 1, 1}, .block = {n, 1, 1}, .shared_bytes = 4 * n};
    run(&b, DEVICE_LAYER_SHARED, &g);
    for (uint32_t i = 0; i < 3 * n; i++)
        cr_assert_eq(b.out[i], 7 * (n - 1 - i % n) + 11 * ((i % n + 1) % n));
    assay_simt_destroy(b.simt);
}

Test(device_layer, atomics) {
    bench b = make("h200");
    const assay_geometry g = {.grid = {16, 1, 1}, .block = {96, 1, 1}};
    b.out[7] = 77;
    run(&b, DEVICE_LAYER_ATOMICS, &g);
    const uint32_t threads = 16 * 96;
    cr_assert_eq(b.out[0], threads);
    cr_assert_eq(b.out[1], threads - 1);
    cr_assert_eq(b.values[0], 0.5f * (float)threads);
    cr_assert_eq(b.wide[0], (uint64_t)threads << 33);
    cr_assert_eq(b.out[3], 1u);
    cr_assert_eq(b.out[5], 1u);
    cr_assert_eq(b.out[6], 77u);
    assay_simt_destroy(b.simt);
}

Test(device_layer, chunks) {
    bench b = make("h200");
    const assay_geometry g = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    for (uint32_t i = 0; i < 512; i++) b.halves[i] = (uint16_t)(0x3c00 + i);
    run(&b, DEVICE_LAYER_CHUNKS, &g);
    for (uint32_t i = 0; i < 512; i++) {
        cr_assert_eq((double)b.values[i], assay_f16_decode(b.halves[i]));
        cr_assert_eq(b.out[i], assay_bf16_encode((double)(i % 8 + 1)));
    }
    assay_simt_destroy(b.simt);
}

Test(device_layer, shifts_by_the_width_and_more_give_zero) {
    bench b = make("h200");
    const assay_geometry g = {.grid = {1, 1, 1}, .block = {96, 1, 1}};
    run(&b, DEVICE_LAYER_SHIFTS, &g);
    const uint64_t v = UINT64_C(0x80000001);
    for (uint32_t n = 0; n < 96; n++) {
        cr_assert_eq(b.out[2 * n], n < 32 ? (uint32_t)(v << n) : 0, "shl by %u", n);
        cr_assert_eq(b.out[2 * n + 1], n < 32 ? (uint32_t)(v >> n) : 0, "shr by %u", n);
    }
    assay_simt_destroy(b.simt);
}

Test(device_layer, a_misaligned_chunk_is_a_fault) {
    bench b = make("h200");
    const assay_geometry g = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    for (int k = DEVICE_LAYER_MISALIGNED_LOAD; k <= DEVICE_LAYER_MISALIGNED_STORE_BF16; k++) {
        const bool load = k < DEVICE_LAYER_MISALIGNED_STORE;
        const char *expected = load ? "misaligned 16-byte load" : "misaligned 16-byte store";
        cr_assert_eq(assay_device_layer_simt(k, &g, &b.params, b.simt), ASSAY_ERR_KERNEL);
        cr_assert(strstr(assay_last_error(), expected), "%d: %s", k, assay_last_error());
    }
    assay_simt_destroy(b.simt);
}

/* ---- Scalar forms --------------------------------------------------------------------------- */

#define RANGE (1 << 16)

static uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static uint32_t canonical(float v) { return isnan(v) ? ASSAY_F32_NAN : bits_of(v); }

/* The inputs of a sweep: 2^16 runs over the top 16 bits with hostile low halves. */
static uint64_t start_of(int k) {
    static const uint32_t low[] = {0x0000, 0x0001, 0x7fff, 0x8000, 0x8001, 0xffff, 0x0fff, 0x1000};
    return low[k];
}

/* Evaluates a unary form at operand bits high << 16 | low, for every high. */
static void sweep(assay_simt *simt, uint32_t *out, int form, uint64_t low) {
    const assay_geometry g = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
    const forms_params p = {.form = form, .first = low, .step = 65536, .count = RANGE, .out = out};
    cr_assert_eq(assay_forms_simt(0, &g, &p, simt), ASSAY_OK, "%s", assay_last_error());
}

static uint32_t expected_unary(int form, uint32_t bits) {
    const float v = float_of(bits);
    const double d = (double)v;
    switch (form) {
    case FORM_f32_to_f16: return assay_f16_encode(d);
    case FORM_f32_to_bf16: return assay_bf16_encode(d);
    case FORM_f32_to_i32:
        return isnan(v)             ? 0
               : d >= 2147483647.0  ? 0x7fffffffu
               : d <= -2147483648.0 ? 0x80000000u
                                    : (uint32_t)(int32_t)(int64_t)d;
    case FORM_f32_to_u32:
        return isnan(v) || d <= 0.0 ? 0 : d >= 4294967295.0 ? 0xffffffffu : (uint32_t)(int64_t)d;
    case FORM_is_nan: return isnan(v) ? 1u : 0u;
    case FORM_sqrt: return canonical((float)sqrt(d)); /* 53 bits are enough for a second rounding */
    default: return canonical((float)(1.0 / d));
    }
}

Test(device_layer, unary_forms) {
    static const int forms[] = {FORM_f32_to_f16, FORM_f32_to_bf16, FORM_f32_to_i32, FORM_f32_to_u32,
                                FORM_is_nan,     FORM_sqrt,        FORM_reciprocal};
    assay_simt *simt;
    cr_assert_eq(assay_simt_create(NULL, &simt), ASSAY_OK);
    uint32_t *out = allocate(simt, "out", 4 * RANGE);
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        for (int k = 0; k < 8; k++) {
            const uint64_t low = start_of(k);
            sweep(simt, out, forms[f], low);
            for (uint32_t high = 0; high < RANGE; high++) {
                const uint32_t bits = high << 16 | (uint32_t)low;
                cr_assert_eq(out[high], expected_unary(forms[f], bits), "form %d of 0x%08x: 0x%08x",
                             forms[f], bits, out[high]);
            }
        }
    }
    assay_simt_destroy(simt);
}

/* Forms over drawn operands: the kernel's own draw is repeated by asking for min and max, whose
 * pair gives the operands back; here the results are checked for what each pair allows. */
static void evaluate(assay_simt *simt, uint32_t *out, int form) {
    const assay_geometry g = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
    const forms_params p = {.form = form, .first = 0, .step = 1, .count = RANGE, .out = out};
    cr_assert_eq(assay_forms_simt(0, &g, &p, simt), ASSAY_OK, "%s", assay_last_error());
}

Test(device_layer, min_and_max_order_zeros_and_ignore_nan) {
    assay_simt *simt;
    cr_assert_eq(assay_simt_create(NULL, &simt), ASSAY_OK);
    uint32_t *low = allocate(simt, "min", 4 * RANGE), *high = allocate(simt, "max", 4 * RANGE);
    uint32_t *sum = allocate(simt, "sum", 4 * RANGE), *product = allocate(simt, "mul", 4 * RANGE);
    evaluate(simt, low, FORM_min);
    evaluate(simt, high, FORM_max);
    evaluate(simt, sum, FORM_add);
    evaluate(simt, product, FORM_mul);
    int zeros = 0;
    for (int i = 0; i < RANGE; i++) {
        const float a = float_of(low[i]), b = float_of(high[i]);
        cr_assert_eq(isnan(a), isnan(b));
        if (isnan(a)) continue;
        cr_assert(a <= b);
        if (a == 0.0f && b == 0.0f && low[i] != high[i]) {
            zeros++;
            cr_assert(signbit(a) && !signbit(b), "-0 must be the smaller");
        }
        if (isnan(float_of(sum[i]))) continue;
        /* Neither operand was NaN: minimum and maximum are the operands. */
        cr_assert_eq(sum[i], canonical((float)((double)a + (double)b)));
        cr_assert_eq(product[i], canonical((float)((double)a * (double)b)));
    }
    cr_assert(zeros > 0, "no pair of zeros with different signs was drawn");
    assay_simt_destroy(simt);
}

Test(device_layer, multiply_add_is_not_fused_and_fma_is) {
    assay_simt *simt;
    cr_assert_eq(assay_simt_create(NULL, &simt), ASSAY_OK);
    uint32_t *fused = allocate(simt, "fma", 4 * RANGE), *plain = allocate(simt, "mad", 4 * RANGE);
    evaluate(simt, fused, FORM_fma);
    evaluate(simt, plain, FORM_mul_add);
    int differ = 0;
    for (int i = 0; i < RANGE; i++) differ += fused[i] != plain[i];
    cr_assert(differ > 100, "only %d of %d differ", differ, RANGE);
    assay_simt_destroy(simt);
}
