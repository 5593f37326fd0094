/* Runs the flag probe in the executor: the host compiler's flags, proved at build time. Exits with
 * 1 and says what is wrong, which stops the build. On a GPU the same expectations hold. */
#include <stdio.h>
#include <string.h>

#include "assay/simt.h"
#include "flag_probe.h"

assay_kernel_entry assay_flag_probe_simt;

static float from_bits(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* a = b = 1 + 2^-12: a*b = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11 (tie to even); c = -(1 + 2^-11).
 */
static const struct {
    const char *what;
    uint32_t expected;
} results[FLAG_PROBE_RESULTS] = {
    {"a * b + c is not contracted", 0x00000000},             /* +0 */
    {"c - a * b is not contracted", 0xc0001000},             /* -(2 + 2^-10) */
    {"dev_fma is fused", 0x33800000},                        /* 2^-24 */
    {"dev_div rounds to nearest even", 0xbf800800},          /* c / b */
    {"dev_sqrt rounds to nearest even", 0x3f800400},         /* sqrt(1 + 2^-12) */
    {"a subnormal result of a product is kept", 0x00000200}, /* 2^-140 */
    {"a subnormal sum is kept", 0x00000800},                 /* 2^-138 */
    {"signed integers wrap", 0x3f800000},
};

int main(void) {
    assay_simt *simt;
    void *memory;
    if (assay_simt_create(NULL, &simt) ||
        assay_simt_alloc(simt, "out", sizeof(float) * FLAG_PROBE_RESULTS, 0, &memory)) {
        fprintf(stderr, "flag probe: %s\n", assay_last_error());
        return 1;
    }
    const float a = 1.0f + 0x1p-12f;
    const flag_probe_params params = {.a = a,
                                      .b = a,
                                      .c = -(1.0f + 0x1p-11f),
                                      .tiny = from_bits(0x400),
                                      .large = 1 << 30,
                                      .out = memory};
    const assay_geometry one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    int wrong = 0;
    for (int k = 0; k < FLAG_PROBE_KERNELS; k++) {
        if (assay_flag_probe_simt(k, &one, &params, simt)) {
            fprintf(stderr, "flag probe: %s\n", assay_last_error());
            return 1;
        }
    }
    for (int i = 0; i < FLAG_PROBE_RESULTS; i++) {
        uint32_t got;
        memcpy(&got, (const char *)memory + 4 * i, sizeof got);
        if (got == results[i].expected) continue;
        fprintf(stderr, "flag probe: %s: expected 0x%08x, got 0x%08x\n", results[i].what,
                (unsigned)results[i].expected, (unsigned)got);
        wrong++;
    }
    assay_simt_destroy(simt);
    return wrong ? 1 : 0;
}
