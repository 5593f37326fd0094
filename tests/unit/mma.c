/* The table of matrix instructions, decoding, and tiles: sizes, strides, chains, paths. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "assay/formats.h"
#include "mma_kit.h"
#include "mma_probe_host.h"

TestSuite(mma, .timeout = 30);

#define MMA_BF16 "mma.m16n8k16.f32.bf16.bf16.f32"

Test(mma, records_are_sound) {
    for (size_t i = 0; i < assay_mma_count(); i++) {
        const assay_mma *mma = assay_mma_at(i);
        cr_expect(assay_mma_find(mma->arch, mma->name) == mma, "%s %s: not found as itself",
                  mma->arch, mma->name);
        cr_expect(mma->rule.terms > 0 && mma->k % mma->rule.terms == 0, "%s %s: terms", mma->arch,
                  mma->name);
        cr_expect(mma->scale_block == 0 || mma->k % mma->scale_block == 0, "%s: scales", mma->name);
        cr_expect(assay_mma_type_size(mma->a) > 0 && assay_mma_type_size(mma->d) > 0);
        cr_expect_str_neq(assay_mma_confidence_name(mma->confidence), "?");
    }
    cr_expect(assay_mma_at(assay_mma_count()) == NULL);
}

Test(mma, find_by_architecture_and_name) {
    const assay_mma *mma = assay_mma_find("sm_90", MMA_BF16);
    cr_assert(mma);
    cr_expect(assay_mma_find("sm_90a", MMA_BF16) == mma);
    cr_expect(assay_mma_find("sm_9", MMA_BF16) == NULL);
    cr_expect(assay_mma_find("sm_90ab", MMA_BF16) == NULL);
    cr_expect(assay_mma_find("gfx942", MMA_BF16) == NULL);
    cr_expect(assay_mma_find("sm_90", "mma.m16n8k16.f32.bf16.bf16.f3") == NULL);
    const assay_mma *group = assay_mma_find("sm_90a", "wgmma.m64n128k16.f32.bf16.bf16");
    cr_expect(group && group == assay_mma_find("sm_90", "wgmma.m64nNk16.f32.bf16.bf16"));
    cr_expect(assay_mma_find("sm_90", "wgmma.m64n12k16.f32.bf16.bf16") == NULL);
    cr_expect(assay_mma_find("sm_90", "wgmma.m64n264k16.f32.bf16.bf16") == NULL);
    cr_expect(assay_mma_find("sm_90", "wgmma.m64nk16.f32.bf16.bf16") == NULL);
    cr_expect_str_eq(assay_mma_type_name(ASSAY_MMA_E4M3), "e4m3");
    cr_expect_str_eq(assay_mma_type_name(ASSAY_MMA_TYPE_COUNT), "?");
}

/* An instruction whose a has the type, multiplied by one: the model's decode of every code. */
static void decodes(const char *arch, const char *name, int codes, uint32_t one,
                    double (*decode)(uint32_t)) {
    const assay_mma *mma = mma_kit_find(arch, name);
    for (int code = 0; code < codes; code++) {
        uint32_t a[32] = {0}, b[32] = {0};
        memcpy(a, &code, assay_mma_type_size(mma->a));
        memcpy(b, &one, assay_mma_type_size(mma->b));
        const float got = mma_kit_float((uint32_t)assay_mma_dot(mma, a, b, 0, NULL, NULL));
        const double due = decode((uint32_t)code);
        cr_expect(isnan(due) ? isnan(got) : got == (float)due, "%s code 0x%x: %a, due %a", name,
                  code, (double)got, due);
    }
}

Test(mma, decode_agrees_with_the_formats) {
    decodes("sm_90", MMA_BF16, 65536, 0x3f80, assay_bf16_decode);
    decodes("sm_90", "mma.m16n8k16.f32.f16.f16.f32", 65536, 0x3c00, assay_f16_decode);
    decodes("sm_120", "mma.m16n8k32.f8f6f4.f32.e4m3.e4m3.f32", 256, 0x38, assay_e4m3_decode);
    decodes("sm_120", "mma.m16n8k32.f8f6f4.f32.e5m2.e4m3.f32", 256, 0x38, assay_e5m2_decode);
    decodes("sm_120", "mma.m16n8k32.f8f6f4.f32.e3m2.e4m3.f32", 64, 0x38, assay_e3m2_decode);
    decodes("sm_120", "mma.m16n8k32.f8f6f4.f32.e2m3.e4m3.f32", 64, 0x38, assay_e2m3_decode);
    decodes("sm_120", "mma.m16n8k32.f8f6f4.f32.e2m1.e4m3.f32", 16, 0x38, assay_e2m1_decode);
    decodes("gfx942", "mfma.f32.16x16x32.fp8.fp8", 256, 0x40, assay_e4m3_fnuz_decode);
    decodes("gfx942", "mfma.f32.16x16x32.bf8.fp8", 256, 0x40, assay_e5m2_fnuz_decode);
    decodes("sm_90", "mma.m16n8k32.f32.e4m3.e4m3.f32", 256, 0x38, assay_e4m3_decode);
    decodes("sm_90", "mma.m16n8k32.f32.e5m2.e5m2.f32", 256, 0x3c, assay_e5m2_decode);
}

Test(mma, tf32_ignores_13_bits) {
    const assay_mma *mma = mma_kit_find("sm_90", "mma.m16n8k8.f32.tf32.tf32.f32");
    uint32_t a[8] = {0x3f801fff}, b[8] = {0x3f800000};
    cr_expect_eq(assay_mma_dot(mma, a, b, 0, NULL, NULL), 0x3f800000);
    a[0] = 0x7f800001; /* a NaN only in the bits that are not there */
    cr_expect_eq(assay_mma_dot(mma, a, b, 0, NULL, NULL), 0x7f800000);
}

Test(mma, chains_and_integers) {
    const assay_mma *f64 = mma_kit_find("sm_90", "mma.m8n8k4.f64.f64.f64.f64");
    const double a[4] = {1.0 + 0x1p-30, 3, -3, 0x1p-60}, b[4] = {1.0 - 0x1p-30, 1, 1, 1};
    uint64_t bits;
    double sum = 0;
    for (int i = 0; i < 4; i++) sum = fma(a[i], b[i], sum);
    memcpy(&bits, &sum, sizeof bits);
    cr_expect_eq(assay_mma_dot(f64, a, b, 0, NULL, NULL), bits);

    const assay_mma *s8 = mma_kit_find("sm_90", "mma.m16n8k32.s32.s8.u8.s32");
    uint8_t x[32], y[32];
    memset(x, 0x80, sizeof x);
    memset(y, 0xff, sizeof y);
    cr_expect_eq((int32_t)assay_mma_dot(s8, x, y, 5, NULL, NULL), 5 - 32 * 128 * 255);
    cr_expect_eq((uint32_t)assay_mma_dot(s8, x, y, 0x80000000, NULL, NULL),
                 0x80000000u - 32u * 128u * 255u);
}

/* Every path on odd sizes, strided operands and a chain, against single elements. */
static void tile_equals_dots(const char *arch, const char *name, assay_mma_path path) {
    enum { M = 19, N = 11, STEPS = 3, MOST_K = 3 * 64 };
    const assay_mma *mma = mma_kit_find(arch, name);
    static uint8_t a[2 * M * MOST_K * 4], b[MOST_K * N * 4], a_scale[M * MOST_K],
        b_scale[N * MOST_K];
    static uint32_t c[M * N], d[M * (N + 5)];
    const int k = STEPS * mma->k;
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof a; i++) a[i] = (uint8_t)((state = mma_probe_mix(state + i)) >> 9);
    for (size_t i = 0; i < sizeof b; i++) b[i] = (uint8_t)((state = mma_probe_mix(state + i)) >> 9);
    for (int i = 0; i < M * N; i++) c[i] = (uint32_t)(state = mma_probe_mix(state + (unsigned)i));
    for (size_t i = 0; i < sizeof a_scale; i++) a_scale[i] = (uint8_t)(120 + i % 9);
    for (size_t i = 0; i < sizeof b_scale; i++) b_scale[i] = (uint8_t)(120 + i % 5);
    /* a: every second row; b: K-major. */
    const assay_mma_tile_args tile = {M, N, k,     {a, 2 * k, 1}, {b, 1, k}, c,
                                      d, N, N + 5, a_scale,       b_scale,   path};
    cr_assert_eq(assay_mma_tile(mma, &tile), ASSAY_OK, "%s", assay_last_error());
    const size_t size = assay_mma_type_size(mma->a), width = assay_mma_type_size(mma->d);
    const int blocks = mma->scale_block ? mma->k / mma->scale_block : 0;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            uint64_t due = 0, got = 0;
            memcpy(&due, (uint8_t *)c + (size_t)(i * N + j) * width, width);
            for (int s = 0; s < STEPS; s++)
                due = assay_mma_dot(mma, a + (size_t)(2 * i * k + s * mma->k) * size,
                                    b + (size_t)(j * k + s * mma->k) * size, due,
                                    a_scale + (i * STEPS + s) * blocks,
                                    b_scale + (j * STEPS + s) * blocks);
            memcpy(&got, (uint8_t *)d + (size_t)(i * (N + 5) + j) * width, width);
            cr_expect_eq(got, due, "%s path %d (%d, %d): 0x%llx, due 0x%llx", name, (int)path, i, j,
                         (unsigned long long)got, (unsigned long long)due);
        }
    }
}

Test(mma, tiles_of_any_size) {
    for (int path = ASSAY_MMA_BEST; path <= ASSAY_MMA_AVX512; path++) {
        if (!assay_mma_path_available((assay_mma_path)path)) continue;
        tile_equals_dots("sm_90", MMA_BF16, (assay_mma_path)path);
        tile_equals_dots("sm_80", "mma.m16n8k16.f16.f16.f16.f16", (assay_mma_path)path);
        tile_equals_dots("sm_90", "mma.m16n8k32.f32.e4m3.e5m2.f32", (assay_mma_path)path);
        tile_equals_dots("sm_120", "mma.m16n8k32.f8f6f4.f32.e5m2.e2m3.f32", (assay_mma_path)path);
        tile_equals_dots("sm_120", "mma.m16n8k64.mxf4nvf4.4X.f32.e2m1.e2m1.f32.ue4m3",
                         (assay_mma_path)path);
        tile_equals_dots("gfx942", "mfma.f32.16x16x32.fp8.bf8", (assay_mma_path)path);
    }
}

/* All families and kinds of data of the hardware probe, two tiles each. */
Test(mma, paths_give_the_same_bits) {
    static uint32_t due[2 * 64 * MMA_PROBE_N * 2], got[2 * 64 * MMA_PROBE_N * 2];
    for (int family = 0; family < MMA_PROBE_FAMILY_COUNT; family++) {
        const assay_mma *mma = mma_probe_model(family);
        cr_assert(mma, "%s", mma_probe_families[family].name);
        const uint32_t tiles = mma_probe_families[family].m == 64 ? 1 : 2;
        const size_t words = tiles * mma_probe_tile_words(family);
        for (int mode = 0; mode < MMA_PROBE_MODE_COUNT; mode++) {
            mma_probe_expect(mma, family, mode, 77, tiles, ASSAY_MMA_PLAIN, due);
            for (int path = ASSAY_MMA_PORTABLE; path <= ASSAY_MMA_AVX512; path++) {
                if (!assay_mma_path_available((assay_mma_path)path)) continue;
                mma_probe_expect(mma, family, mode, 77, tiles, (assay_mma_path)path, got);
                cr_expect(memcmp(due, got, 4 * words) == 0, "%s %s path %d", mma->name,
                          mma_probe_modes[mode], path);
            }
        }
    }
}

/* The rules that only an altered record has, through every path: else a mutated table would be
 * served by a kernel that ignores the mutation. */
Test(mma, paths_serve_altered_rules_alike) {
    static uint32_t due[2 * 16 * MMA_PROBE_N], got[2 * 16 * MMA_PROBE_N];
    for (int alteration = 0; alteration < 10; alteration++) {
        assay_mma mma = *mma_kit_find("sm_90", MMA_BF16);
        switch (alteration) {
        case 0: mma.rule.fraction = 24; break;
        case 1: mma.rule.fraction = 26; break;
        case 2: mma.rule.keep = 20; break;
        case 3: mma.rule.round = ASSAY_MMA_NEAREST_EVEN; break;
        case 4: mma.rule.align = ASSAY_MMA_DOWN; break;
        case 5: mma.rule.flush_subnormals = true; break;
        case 6: mma.rule.signed_zero = true; break;
        case 7: mma.rule.infinite_products = true; break;
        case 8: mma.rule.terms = 4; break;
        default: mma.rule.nan = 0x7fc00000; break;
        }
        for (int mode = 0; mode < MMA_PROBE_MODE_COUNT; mode++) {
            mma_probe_expect(&mma, MMA_PROBE_BF16_K16, mode, 5, 2, ASSAY_MMA_PLAIN, due);
            for (int path = ASSAY_MMA_PORTABLE; path <= ASSAY_MMA_AVX512; path++) {
                if (!assay_mma_path_available((assay_mma_path)path)) continue;
                mma_probe_expect(&mma, MMA_PROBE_BF16_K16, mode, 5, 2, (assay_mma_path)path, got);
                cr_expect(memcmp(due, got, sizeof due) == 0, "alteration %d %s path %d", alteration,
                          mma_probe_modes[mode], path);
            }
        }
    }
}

Test(mma, tile_refuses) {
    const assay_mma *mma = mma_kit_find("sm_90", MMA_BF16);
    uint16_t a[256] = {0}, b[128] = {0};
    uint32_t d[128] = {0};
    const assay_mma_tile_args good = {16, 8, 16, {a, 16, 1}, {b, 8, 1}, d, d, 8, 8, NULL, NULL, 0};
    cr_expect_eq(assay_mma_tile(mma, &good), ASSAY_OK);
    assay_mma_tile_args bad = good;
    bad.k = 24;
    cr_expect_eq(assay_mma_tile(mma, &bad), ASSAY_ERR_ARGUMENT);
    cr_expect(strstr(assay_last_error(), "24") && strstr(assay_last_error(), "16"));
    bad = good, bad.m = -1;
    cr_expect_eq(assay_mma_tile(mma, &bad), ASSAY_ERR_ARGUMENT);
    bad = good, bad.b.data = NULL;
    cr_expect_eq(assay_mma_tile(mma, &bad), ASSAY_ERR_ARGUMENT);
    bad = good, bad.path = (assay_mma_path)99;
    cr_expect_eq(assay_mma_tile(mma, &bad), ASSAY_ERR_UNSUPPORTED);
    const assay_mma *scaled =
        mma_kit_find("sm_120", "mma.m16n8k64.mxf4.2X.f32.e2m1.e2m1.f32.ue8m0");
    bad = good, bad.k = 64;
    cr_expect_eq(assay_mma_tile(scaled, &bad), ASSAY_ERR_ARGUMENT);
    bad = good, bad.m = 0, bad.a.data = NULL;
    cr_expect_eq(assay_mma_tile(mma, &bad), ASSAY_OK);
}

Test(mma, k_of_zero_copies_c) {
    const assay_mma *mma = mma_kit_find("sm_90", MMA_BF16);
    const uint32_t c[6] = {1, 2, 3, 4, 5, 0x7fc00001};
    uint32_t d[6] = {0};
    const assay_mma_tile_args tile = {.m = 2, .n = 3, .c = c, .d = d, .c_stride = 3, .d_stride = 3};
    cr_expect_eq(assay_mma_tile(mma, &tile), ASSAY_OK);
    cr_expect(memcmp(c, d, sizeof c) == 0);
}
