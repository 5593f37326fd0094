/* The formats by name: one table of descriptors and functions. */
#include "assay/format_info.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "assay/formats.h"

#include "pack.h"

static const struct {
    const assay_format_info *info;
    double (*decode)(uint32_t code);
    uint32_t (*round)(double value, assay_rounding rounding, bool saturate);
    uint32_t (*from_f32)(float value, assay_rounding rounding, bool saturate);
} table[ASSAY_FORMAT_COUNT] = {
    [ASSAY_FORMAT_F32] = {&format_f32, assay_f32_decode, assay_f32_round, assay_f32_from_f32},
    [ASSAY_FORMAT_TF32] = {&format_tf32, assay_tf32_decode, assay_tf32_round, assay_tf32_from_f32},
    [ASSAY_FORMAT_F16] = {&format_f16, assay_f16_decode, assay_f16_round, assay_f16_from_f32},
    [ASSAY_FORMAT_BF16] = {&format_bf16, assay_bf16_decode, assay_bf16_round, assay_bf16_from_f32},
    [ASSAY_FORMAT_E5M2] = {&format_e5m2, assay_e5m2_decode, assay_e5m2_round, assay_e5m2_from_f32},
    [ASSAY_FORMAT_E4M3] = {&format_e4m3, assay_e4m3_decode, assay_e4m3_round, assay_e4m3_from_f32},
    [ASSAY_FORMAT_UE4M3] = {&format_ue4m3, assay_ue4m3_decode, assay_ue4m3_round,
                            assay_ue4m3_from_f32},
    [ASSAY_FORMAT_E5M2_FNUZ] = {&format_e5m2_fnuz, assay_e5m2_fnuz_decode, assay_e5m2_fnuz_round,
                                assay_e5m2_fnuz_from_f32},
    [ASSAY_FORMAT_E4M3_FNUZ] = {&format_e4m3_fnuz, assay_e4m3_fnuz_decode, assay_e4m3_fnuz_round,
                                assay_e4m3_fnuz_from_f32},
    [ASSAY_FORMAT_E3M2] = {&format_e3m2, assay_e3m2_decode, assay_e3m2_round, assay_e3m2_from_f32},
    [ASSAY_FORMAT_E2M3] = {&format_e2m3, assay_e2m3_decode, assay_e2m3_round, assay_e2m3_from_f32},
    [ASSAY_FORMAT_E2M1] = {&format_e2m1, assay_e2m1_decode, assay_e2m1_round, assay_e2m1_from_f32},
    [ASSAY_FORMAT_E8M0] = {&format_e8m0, assay_e8m0_decode, assay_e8m0_round, assay_e8m0_from_f32},
};

static bool known(assay_format format) { return (unsigned)format < ASSAY_FORMAT_COUNT; }

const assay_format_info *assay_format_describe(assay_format format) {
    return known(format) ? table[format].info : NULL;
}

bool assay_format_parse(const char *name, assay_format *format) {
    for (int i = 0; i < ASSAY_FORMAT_COUNT; i++) {
        if (strcmp(name, table[i].info->name) == 0) {
            *format = (assay_format)i;
            return true;
        }
    }
    return false;
}

double assay_code_decode(assay_format format, uint32_t code) {
    return known(format) ? table[format].decode(code) : (double)NAN;
}

uint32_t assay_code_round(assay_format format, double value, assay_rounding rounding,
                          bool saturate) {
    if (!known(format) || (unsigned)rounding >= ASSAY_ROUNDING_COUNT) return 0;
    return table[format].round(value, rounding, saturate);
}

uint32_t assay_code_from_f32(assay_format format, float value, assay_rounding rounding,
                             bool saturate) {
    if (!known(format) || (unsigned)rounding >= ASSAY_ROUNDING_COUNT) return 0;
    return table[format].from_f32(value, rounding, saturate);
}

bool assay_code_is_nan(assay_format format, uint32_t code) {
    return isnan(assay_code_decode(format, code));
}
