/* Does this host compute as the chips do? Asked of the code this build made, on this CPU: no macro
 * tells whether a compiler contracts a*b+c, and a loader or a linked library may have set
 * flush-to-zero. Operands are volatile, so that nothing is folded at build time.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "internal.h"

static assay_status unsupported(const char *what) {
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "executor: this host %s", what);
}

static assay_status probe_cpu(void) {
#if defined(__x86_64__)
    unsigned a, b, c = 0, d;
    if (!__builtin_cpu_supports("avx2")) return unsupported("has no AVX2");
    if (!__builtin_cpu_supports("fma")) return unsupported("has no FMA instruction");
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_F16C) == 0)
        return unsupported("has no F16C (half-precision conversion)");
#endif
    return ASSAY_OK;
}

/* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11; only a fused operation keeps 2^-24. */
static assay_status probe_fma(void) {
    volatile float x = 0x1.001p0f, minus = -0x1.002p0f;
    float separate = x * x + minus;
    if (separate != 0.0f) return unsupported("contracts a*b+c in code built without contraction");
    if (fmaf(x, x, minus) != 0x1p-24f) return unsupported("has an fmaf that rounds twice");
    volatile double y = 0x1.0000002p0, less = -0x1.0000004p0; /* (1 + 2^-27)^2 likewise */
    double apart = y * y + less;
    if (apart != 0.0) return unsupported("contracts a*b+c in double");
    if (fma(y, y, less) != 0x1p-54) return unsupported("has an fma that rounds twice");
    return ASSAY_OK;
}

/* A half-way case either side of even; then what excess precision would round differently. */
static assay_status probe_rounding(void) {
    volatile float one = 1.0f, next = 0x1.000002p0f, half = 0x1p-24f;
    if (fegetround() != FE_TONEAREST || one + half != 1.0f || next + half != 0x1.000004p0f ||
        -one - half != -1.0f)
        return unsupported("does not round to nearest even");
    volatile float third = 3.0f, nearly = 0x1.fffffep-1f;
    if (one / third != 0x1.555556p-2f || nearly / 0x1.fffffcp-1f != 0x1.000002p0f)
        return unsupported("does not divide f32 correctly rounded");
    volatile float two = 2.0f, low = 0x1.fffffcp-1f;
    if (sqrtf(two) != 0x1.6a09e6p0f || sqrtf(nearly) != nearly || sqrtf(low) != nearly)
        return unsupported("does not take f32 square roots correctly rounded");
    return ASSAY_OK;
}

static assay_status probe_subnormals(void) {
    volatile float least = 0x1p-149f, normal = FLT_MIN, half = 0.5f;
    volatile float product = normal * half, sum = least + least, scaled = least * 0x1p100f;
    if (product != 0x1p-127f || sum != 0x1p-148f)
        return unsupported("flushes subnormal results to zero");
    if (scaled != 0x1p-49f) return unsupported("reads subnormal operands as zero");
    return ASSAY_OK;
}

assay_status simt_probe(void) {
    assay_status status = probe_cpu();
    if (status != ASSAY_OK) return status;
    /* The executor sets the environment for lanes; what the caller's is does not matter. */
    simt_float_environment environment = simt_float_environment_enter();
    status = probe_fma();
    if (status == ASSAY_OK) status = probe_rounding();
    if (status == ASSAY_OK) status = probe_subnormals();
    simt_float_environment_leave(environment);
    return status;
}

/* Nearest even, subnormals kept, nothing trapped: on every thread that runs lanes. */
simt_float_environment simt_float_environment_enter(void) {
    simt_float_environment before;
#if defined(__x86_64__)
    before.control = _mm_getcsr();
    if ((before.control & 0xffc0) != 0x1f80) _mm_setcsr(0x1f80);
#else
    fegetenv(&before.environment);
    fesetenv(FE_DFL_ENV);
#endif
    return before;
}

void simt_float_environment_leave(simt_float_environment before) {
#if defined(__x86_64__)
    if ((before.control & 0xffc0) != 0x1f80) _mm_setcsr(before.control);
#else
    fesetenv(&before.environment);
#endif
}
