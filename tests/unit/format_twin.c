#include "format_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const twin_format twin_formats[] = {
    /* format, name, width, steps, low, count, minus, infinity, nan, zero, minus_zero */
    {ASSAY_FORMAT_TF32, "tf32", 19, 1024, {1, -136}, 0x3fc00, 0x40000, 0x3fc00, 0x3ffff, 1, 1},
    {ASSAY_FORMAT_F16, "f16", 16, 1024, {1, -24}, 0x7c00, 0x8000, 0x7c00, 0x7fff, 1, 1},
    {ASSAY_FORMAT_BF16, "bf16", 16, 128, {1, -133}, 0x7f80, 0x8000, 0x7f80, 0x7fff, 1, 1},
    {ASSAY_FORMAT_E5M2, "e5m2", 8, 4, {1, -16}, 0x7c, 0x80, 0x7c, 0x7f, 1, 1},
    {ASSAY_FORMAT_E4M3, "e4m3", 8, 8, {1, -9}, 0x7f, 0x80, -1, 0x7f, 1, 1},
    {ASSAY_FORMAT_UE4M3, "ue4m3", 7, 8, {1, -9}, 0x7f, 0, -1, 0x7f, 1, 0},
    {ASSAY_FORMAT_E5M2_FNUZ, "e5m2_fnuz", 8, 4, {1, -17}, 0x80, 0x80, -1, 0x80, 1, 0},
    {ASSAY_FORMAT_E4M3_FNUZ, "e4m3_fnuz", 8, 8, {1, -10}, 0x80, 0x80, -1, 0x80, 1, 0},
    {ASSAY_FORMAT_E3M2, "e3m2", 6, 4, {1, -4}, 0x20, 0x20, -1, -1, 1, 1},
    {ASSAY_FORMAT_E2M3, "e2m3", 6, 8, {1, -3}, 0x20, 0x20, -1, -1, 1, 1},
    {ASSAY_FORMAT_E2M1, "e2m1", 4, 2, {1, -1}, 8, 8, -1, -1, 1, 1},
    {ASSAY_FORMAT_E8M0, "e8m0", 8, 1, {1, -127}, 255, 0, -1, 0xff, 0, 0},
};
const int twin_format_count = sizeof twin_formats / sizeof *twin_formats;

twin_number *twin_magnitudes(const twin_format *f) {
    twin_number *list = malloc((f->count + 1) * sizeof *list);
    if (!list) abort();
    twin_number next = f->low;
    uint32_t i = 0;
    if (f->zero) list[i++] = (twin_number){0, 0};
    for (; i <= f->count; i++) {
        list[i] = next;
        next.m++;
        if (next.m == 2 * (uint64_t)f->steps) next = (twin_number){(uint64_t)f->steps, next.e + 1};
    }
    return list;
}

twin_number twin_of_double(double magnitude) {
    int e;
    double half = frexp(fabs(magnitude), &e); /* in [0.5, 1) */
    return (twin_number){(uint64_t)ldexp(half, 53), e - 53};
}

double twin_to_double(twin_number x) { return ldexp((double)x.m, x.e); }

int twin_compare(twin_number a, twin_number b) {
    if (a.m == 0 || b.m == 0) return (a.m != 0) - (b.m != 0);
    int a_zeros = __builtin_clzll(a.m), b_zeros = __builtin_clzll(b.m);
    int a_top = a.e - a_zeros, b_top = b.e - b_zeros;
    if (a_top != b_top) return a_top < b_top ? -1 : 1;
    uint64_t a_bits = a.m << a_zeros, b_bits = b.m << b_zeros;
    return (a_bits > b_bits) - (a_bits < b_bits);
}

twin_number twin_midpoint(twin_number low, twin_number high) {
    int e = low.m == 0 || high.e < low.e ? high.e : low.e;
    uint64_t a = low.m == 0 ? 0 : low.m << (low.e - e);
    return (twin_number){a + (high.m << (high.e - e)), e - 1};
}

static bool toward_zero(assay_rounding rounding, bool negative) {
    return rounding == ASSAY_TOWARD_ZERO || (rounding == ASSAY_DOWN && !negative) ||
           (rounding == ASSAY_UP && negative);
}

bool twin_passes(const twin_number *list, uint32_t k, twin_number x, bool negative,
                 assay_rounding rounding) {
    if (toward_zero(rounding, negative)) return twin_compare(x, list[k + 1]) >= 0;
    if (rounding == ASSAY_UP || rounding == ASSAY_DOWN) return twin_compare(x, list[k]) > 0;
    int side = twin_compare(x, twin_midpoint(list[k], list[k + 1]));
    bool tie_up = rounding == ASSAY_NEAREST_AWAY || k % 2 == 1;
    return side > 0 || (side == 0 && tie_up);
}

uint32_t twin_code(const twin_format *f, uint32_t at, bool negative, bool infinite,
                   assay_rounding rounding, bool saturate) {
    bool below = negative && (at > 0 || !f->zero);
    if (f->minus == 0 && below) return saturate ? 0 : (uint32_t)f->nan;
    if (at >= f->count) {
        bool stops = saturate || (toward_zero(rounding, negative) && !infinite);
        if (!stops && f->infinity < 0 && f->nan >= 0) return (uint32_t)f->nan;
        at = !stops && f->infinity >= 0 ? (uint32_t)f->infinity : f->count - 1;
    }
    if (at == 0 && !f->minus_zero) return 0;
    return negative ? f->minus | at : at;
}

uint32_t twin_nan(const twin_format *f) { return f->nan >= 0 ? (uint32_t)f->nan : f->count - 1; }

uint32_t twin_round(const twin_format *f, const twin_number *list, double value,
                    assay_rounding rounding, bool saturate) {
    if (isnan(value)) return twin_nan(f);
    bool negative = signbit(value);
    if (value == 0) return twin_code(f, 0, negative && f->zero, false, rounding, saturate);
    if (isinf(value)) return twin_code(f, f->count, negative, true, rounding, saturate);
    twin_number x = twin_of_double(value);
    uint32_t low = 0, high = f->count; /* boundaries below `low` are passed, from `high` on not */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (twin_passes(list, middle, x, negative, rounding))
            low = middle + 1;
        else
            high = middle;
    }
    return twin_code(f, low, negative, false, rounding, saturate);
}

double twin_decode(const twin_format *f, const twin_number *list, uint32_t code) {
    uint32_t magnitude = code & ~f->minus;
    if (f->minus && code == f->minus && !f->minus_zero) return (double)NAN;
    if (magnitude >= f->count && magnitude != f->infinity) return (double)NAN;
    double value = magnitude == f->infinity ? (double)INFINITY : twin_to_double(list[magnitude]);
    return code & f->minus ? -value : value;
}

const char *twin_rounding_name(assay_rounding rounding) {
    static const char *const names[] = {"even", "away", "zero", "up", "down"};
    return names[rounding];
}
