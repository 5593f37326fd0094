#include "rms_norm_oracle_kit.h"

#include <stdio.h>

uint64_t state;
double x[MAX_D], w[MAX_D], values[MAX_D];
assay_bound bounds[MAX_D], twins[MAX_D];
char line[160];

uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double uniform(double low, double high) {
    return low + (high - low) * ((double)(next_random() >> 11) * 0x1p-53);
}

double sign(void) { return next_random() & 1 ? 1 : -1; }

double to(assay_dtype dtype, double v) {
    return assay_format_decode(dtype, assay_format_encode(dtype, v));
}

const char *const data_names[DATA_COUNT] = {"plain",     "wide", "tail_spike", "near_eps", "tiny",
                                            "subnormal", "edge", "zeros",      "specials"};

void fill(data kind, assay_dtype dtype, int64_t d) {
    static const double odd[] = {0, -1, 1, -2, 0x1p100, -0x1p127, 0x1p-140, 0x1p-149, 1e-3};
    for (int64_t i = 0; i < d; i++) {
        double v = uniform(-2, 2);
        switch (kind) {
        case WIDE: v = ldexp(v, (int)(next_random() % 40) - 20); break;
        case TAIL_SPIKE: v = i == d - 1 ? 300 : v; break;
        case NEAR_EPS: v *= 1e-3; break;
        case TINY: v = ldexp(v, -76 + (int)(next_random() % 14)); break;
        case SUBNORMAL: v = ldexp(v, -149 + (int)(next_random() % 26)); break;
        case EDGE: v = sign() * 0x1p64 / sqrt((double)d) * uniform(0.9999, 1.0001); break;
        case ZEROS: v = i % 5 == 3 ? v : sign() * 0.0; break;
        case PLAIN:
        case SPECIALS:
        case DATA_COUNT: break;
        }
        x[i] = to(dtype, v);
        w[i] = to(dtype,
                  i % 16 == 5 ? odd[next_random() % (sizeof odd / sizeof *odd)] : uniform(-2, 2));
    }
    if (kind == SPECIALS) {
        static const double special[] = {INFINITY, -INFINITY, NAN};
        if (next_random() % 2) x[next_random() % (uint64_t)d] = special[next_random() % 3];
        for (int k = 0; k < 3; k++) w[next_random() % (uint64_t)d] = special[next_random() % 3];
    }
}

void describe(const assay_rms_norm_contract *c, const char *what, int64_t d, double eps,
              bool weighted) {
    snprintf(line, sizeof line,
             "data=%s dt=%s convention=%d h=%lld mean=%d d=%lld eps=%g w=%d seed=%#llx", what,
             assay_dtype_name(c->x_dtype), c->convention, (long long)c->sum_height,
             c->mean_roundings, (long long)d, eps, weighted, (unsigned long long)SEED);
}

bool indeterminate(assay_bound b) { return isnan(b.y) && b.lo < b.hi; }
bool nan_due(assay_bound b) { return isnan(b.y) && isnan(b.lo) && isnan(b.hi); }

bool accepted(assay_dtype dtype, double got, assay_bound b) {
    if (indeterminate(b)) return true;
    if (isnan(got)) return nan_due(b);
    double stored = to(dtype, got);
    return to(dtype, b.lo) <= stored && stored <= to(dtype, b.hi);
}

void ordinary_weights(assay_dtype dtype, int64_t d) {
    for (int64_t i = 0; i < d; i++) w[i] = to(dtype, sign() * uniform(1.2, 3));
}
