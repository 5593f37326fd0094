/* The functions by name, one operand or many, and the 16-bit forms. */
#include <string.h>

#include "many_paths.h"

static const struct {
    const char *name, *alias[2];
    int bits;
} functions[ASSAY_SFU_FUNCTION_COUNT] = {
    [ASSAY_SFU_EX2] = {"ex2.approx.f32", {"exp2f"}, 32},
    [ASSAY_SFU_EX2_FTZ] = {"ex2.approx.ftz.f32", {NULL}, 32},
    [ASSAY_SFU_LG2] = {"lg2.approx.f32", {NULL}, 32},
    [ASSAY_SFU_LG2_FTZ] = {"lg2.approx.ftz.f32", {NULL}, 32},
    [ASSAY_SFU_RCP] = {"rcp.approx.f32", {NULL}, 32},
    [ASSAY_SFU_RCP_FTZ] = {"rcp.approx.ftz.f32", {NULL}, 32},
    [ASSAY_SFU_RSQRT] = {"rsqrt.approx.f32", {"rsqrtf"}, 32},
    [ASSAY_SFU_RSQRT_FTZ] = {"rsqrt.approx.ftz.f32", {NULL}, 32},
    [ASSAY_SFU_SQRT] = {"sqrt.approx.f32", {NULL}, 32},
    [ASSAY_SFU_SQRT_FTZ] = {"sqrt.approx.ftz.f32", {NULL}, 32},
    [ASSAY_SFU_SIN] = {"sin.approx.f32", {"sin.approx.ftz.f32", "__sinf"}, 32},
    [ASSAY_SFU_COS] = {"cos.approx.f32", {"cos.approx.ftz.f32", "__cosf"}, 32},
    [ASSAY_SFU_TANH] = {"tanh.approx.f32", {NULL}, 32},
    [ASSAY_SFU_EXPF] = {"expf", {NULL}, 32},
    [ASSAY_SFU_FAST_EXPF] = {"__expf", {NULL}, 32},
    [ASSAY_SFU_FAST_LOGF] = {"__logf", {NULL}, 32},
    [ASSAY_SFU_EX2_F16] = {"ex2.approx.f16", {NULL}, 16},
    [ASSAY_SFU_TANH_F16] = {"tanh.approx.f16", {NULL}, 16},
    [ASSAY_SFU_EX2_FTZ_BF16] = {"ex2.approx.ftz.bf16", {NULL}, 16},
    [ASSAY_SFU_TANH_BF16] = {"tanh.approx.bf16", {NULL}, 16},
};

static bool known(assay_sfu_function f) { return (unsigned)f < ASSAY_SFU_FUNCTION_COUNT; }

const char *assay_sfu_name(assay_sfu_function f) { return known(f) ? functions[f].name : "?"; }
int assay_sfu_bits(assay_sfu_function f) { return known(f) ? functions[f].bits : 0; }

bool assay_sfu_parse(const char *name, assay_sfu_function *function) {
    for (int f = 0; f < ASSAY_SFU_FUNCTION_COUNT; f++) {
        const char *const names[] = {functions[f].name, functions[f].alias[0],
                                     functions[f].alias[1]};
        for (int i = 0; i < 3; i++) {
            if (names[i] && strcmp(names[i], name) == 0) {
                *function = (assay_sfu_function)f;
                return true;
            }
        }
    }
    return false;
}

static bool has(assay_sfu_path path) {
#if defined(__x86_64__)
    const bool fma = __builtin_cpu_supports("fma");
    if (path == ASSAY_SFU_AVX2) return fma && __builtin_cpu_supports("avx2");
    if (path == ASSAY_SFU_AVX512)
        return fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return path == ASSAY_SFU_PORTABLE;
}

bool assay_sfu_path_available(assay_sfu_path path) { return path == ASSAY_SFU_BEST || has(path); }

static sfu_many_function *many_for(assay_sfu_path path) {
    if (path == ASSAY_SFU_BEST)
        path = has(ASSAY_SFU_AVX512) ? ASSAY_SFU_AVX512
               : has(ASSAY_SFU_AVX2) ? ASSAY_SFU_AVX2
                                     : ASSAY_SFU_PORTABLE;
    if (!has(path)) return sfu_many_portable;
    return path == ASSAY_SFU_AVX512 ? sfu_many_avx512
           : path == ASSAY_SFU_AVX2 ? sfu_many_avx2
                                    : sfu_many_portable;
}

/* A 16-bit form is the f32 function of the widened operand, cut toward zero. */
static uint32_t widen_f16(uint32_t h) {
    const uint32_t sign = (h & 0x8000) << 16, field = h >> 10 & 31, fraction = h & 0x3ff;
    if (field == 31) return sign | 0x7f800000 | fraction << 13;
    if (field) return sign | (field + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    const uint32_t up = (uint32_t)__builtin_clz(fraction) - 21; /* to bit 10 */
    return sign | (113 - up) << 23 | (fraction << up & 0x3ff) << 13;
}

static uint32_t cut_to_f16(uint32_t u) {
    const uint32_t sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return sign | 0x7c00; /* 65536 and more */
    if (magnitude >= 0x38800000) return sign | (magnitude - 0x38000000) >> 13;
    const uint32_t down = 126 - (magnitude >> 23); /* subnormal: units of 2^-24 */
    return sign | (down > 24 ? 0 : ((magnitude & 0x7fffff) | 0x800000) >> down);
}

static uint32_t cut_to_bf16(uint32_t u) { return (u & 0x7fffffff) > 0x7f800000 ? 0x7fff : u >> 16; }

static void narrow_many(assay_sfu_function f, const uint32_t *x, uint32_t *y, size_t count,
                        sfu_many_function *many) {
    const bool f16 = f == ASSAY_SFU_EX2_F16 || f == ASSAY_SFU_TANH_F16;
    const assay_sfu_function wide = f == ASSAY_SFU_EX2_F16        ? ASSAY_SFU_EX2
                                    : f == ASSAY_SFU_EX2_FTZ_BF16 ? ASSAY_SFU_EX2_FTZ
                                                                  : ASSAY_SFU_TANH;
    for (size_t first = 0; first < count; first += 64) {
        uint32_t u[64];
        const size_t n = count - first < 64 ? count - first : 64;
        for (size_t i = 0; i < n; i++) {
            const uint32_t code = x[first + i] & 0xffff;
            u[i] = f16 ? widen_f16(code) : code << 16;
        }
        many(wide, u, u, n);
        for (size_t i = 0; i < n; i++) y[first + i] = f16 ? cut_to_f16(u[i]) : cut_to_bf16(u[i]);
    }
}

void assay_sfu_many(assay_sfu_function function, const uint32_t *x, uint32_t *y, size_t count,
                    assay_sfu_path path) {
    sfu_many_function *many = many_for(path);
    if (assay_sfu_bits(function) == 16)
        narrow_many(function, x, y, count, many);
    else if (known(function))
        many(function, x, y, count);
}

uint32_t assay_sfu(assay_sfu_function function, uint32_t x) {
    uint32_t y = 0;
    assay_sfu_many(function, &x, &y, 1, ASSAY_SFU_BEST);
    return y;
}
