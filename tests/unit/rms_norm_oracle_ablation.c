/* Ablations: each is what it says, shows on telling data, and hides on neutral data. */
#include <criterion/criterion.h>
#include <string.h>

#include "rms_norm_oracle_kit.h"

static int64_t rejected(const assay_rms_norm_contract *c, assay_rms_norm_ablation ablation,
                        int64_t d, double eps) {
    cr_assert(assay_oracle_rms_norm(c, x, w, d, eps, bounds) == ASSAY_OK);
    cr_assert(assay_oracle_rms_norm_ablated(c, ablation, x, w, d, eps, values) == ASSAY_OK, "%s",
              assay_last_error());
    int64_t count = 0;
    for (int64_t i = 0; i < d; i++) count += !accepted(c->x_dtype, values[i], bounds[i]);
    return count;
}

Test(rms_norm_oracle, every_ablation_leaves_the_interval) {
    state = SEED;
    static const double scale[] = {1, 1e-3};
    for (int variant = 0; variant < 9; variant++) {
        assay_rms_norm_contract c = {variant % 3, (assay_dtype)(variant / 3), 12, 1, RSQRT};
        for (int a = 0; a < ASSAY_RMS_NORM_ABLATION_COUNT; a++) {
            assay_rms_norm_ablation ablation = (assay_rms_norm_ablation)a;
            if (!assay_rms_norm_ablation_applies(&c, ablation, true, 512, EPS)) continue;
            int64_t seen = 0; /* over a row far above eps and one at eps */
            for (int s = 0; s < 2; s++) {
                for (int i = 0; i < 512; i++)
                    x[i] = to(c.x_dtype, scale[s] * (i % 511 ? uniform(-2, 2) : 40 * sign()));
                ordinary_weights(c.x_dtype, 512);
                seen += rejected(&c, ablation, 512, EPS);
            }
            cr_assert((seen == 0) == (ablation == ASSAY_RMS_NORM_FULL), "%s %s convention %d: %lld",
                      assay_rms_norm_ablation_name(ablation), assay_dtype_name(c.x_dtype),
                      c.convention, (long long)seen);
        }
    }
}

/* Which elements and which divisor, on a row in which every element counts. */
Test(rms_norm_oracle, ablations_are_what_they_say) {
    static const struct {
        assay_rms_norm_ablation ablation;
        int64_t first, end;
        double n, eps, outside;
        int64_t weighted, shift;
    } table[] = {
        {ASSAY_RMS_NORM_FULL, 0, 20, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_NO_EPS, 0, 20, 20, 0, 0, 20, 0},
        {ASSAY_RMS_NORM_EPS_X10, 0, 20, 20, 5, 0, 20, 0},
        {ASSAY_RMS_NORM_EPS_OUTSIDE, 0, 20, 20, 0, 0.5, 20, 0},
        {ASSAY_RMS_NORM_NO_WEIGHT, 0, 20, 20, 0.5, 0, 0, 0},
        {ASSAY_RMS_NORM_WEIGHT_TAIL_LOST, 0, 20, 20, 0.5, 0, 12, 0},
        {ASSAY_RMS_NORM_WEIGHT_SHIFTED, 0, 20, 20, 0.5, 0, 20, 1},
        {ASSAY_RMS_NORM_FIRST_LOST, 1, 20, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_LAST_LOST, 0, 19, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_TAIL_LOST, 0, 12, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_HALF_LOST, 0, 10, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_NO_MEAN, 0, 20, 1, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_MEAN_D_MINUS_1, 0, 20, 19, 0.5, 0, 20, 0},
    };
    assay_rms_norm_contract c = {RA, ASSAY_F32, 20, 1, RSQRT};
    for (int i = 0; i < 20; i++) x[i] = 1 + i % 7, w[i] = 2 + i;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        double sum = 0;
        for (int64_t i = table[t].first; i < table[t].end; i++) sum += x[i] * x[i];
        double rms = sqrt(sum / table[t].n + table[t].eps) + table[t].outside;
        cr_assert(assay_oracle_rms_norm_ablated(&c, table[t].ablation, x, w, 20, 0.5, values) ==
                  ASSAY_OK);
        for (int i = 0; i < 20; i++) {
            double due = x[i] / rms * (i < table[t].weighted ? w[(i + table[t].shift) % 20] : 1);
            cr_assert(fabs(values[i] - due) < 1e-14 * due, "%s i=%d: %.17g, due %.17g",
                      assay_rms_norm_ablation_name(table[t].ablation), i, values[i], due);
        }
    }
}

Test(rms_norm_oracle, neutral_data_hides_ablations) { /* what the MISTRUSTED verdict is for */
    assay_rms_norm_contract c = {RA, ASSAY_BF16, 12, 1, RSQRT};
    for (int i = 0; i < 64; i++) x[i] = w[i] = 1;
    static const assay_rms_norm_ablation hidden[] = {
        ASSAY_RMS_NORM_NO_EPS,         ASSAY_RMS_NORM_EPS_X10,  ASSAY_RMS_NORM_NO_WEIGHT,
        ASSAY_RMS_NORM_WEIGHT_SHIFTED, ASSAY_RMS_NORM_NO_SCALE, ASSAY_RMS_NORM_AS_RB};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        cr_assert(rejected(&c, hidden[i], 64, EPS) == 0, "%s",
                  assay_rms_norm_ablation_name(hidden[i]));
}

Test(rms_norm_oracle, ablations_apply_where_they_are_faults) {
    assay_rms_norm_contract c = {RA, ASSAY_BF16, 12, 1, RSQRT};
    static const struct {
        assay_rms_norm_ablation ablation;
        bool weight;
        int64_t d;
        double eps;
        bool applies;
    } table[] = {
        {ASSAY_RMS_NORM_FULL, false, 1, 0, true},
        {ASSAY_RMS_NORM_NO_EPS, true, 8, 0, false},
        {ASSAY_RMS_NORM_NO_EPS, true, 8, EPS, true},
        {ASSAY_RMS_NORM_NO_WEIGHT, false, 8, EPS, false},
        {ASSAY_RMS_NORM_LAST_LOST, false, 1, EPS, false},
        {ASSAY_RMS_NORM_TAIL_LOST, false, 8, EPS, false},
        {ASSAY_RMS_NORM_TAIL_LOST, false, 9, EPS, true},
        {ASSAY_RMS_NORM_WEIGHT_SHIFTED, true, 1, EPS, false},
        {ASSAY_RMS_NORM_AS_RA, true, 8, EPS, false},
        {ASSAY_RMS_NORM_AS_RB, true, 8, EPS, true},
        {ASSAY_RMS_NORM_AS_RB, false, 8, EPS, false},
        {ASSAY_RMS_NORM_ABLATION_COUNT, true, 8, EPS, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_assert(assay_rms_norm_ablation_applies(&c, table[i].ablation, table[i].weight,
                                                  table[i].d, table[i].eps) == table[i].applies,
                  "row %zu", i);
    c.x_dtype = ASSAY_F32;
    cr_assert(!assay_rms_norm_ablation_applies(&c, ASSAY_RMS_NORM_AS_RB, true, 8, EPS));
    for (int a = 0; a < ASSAY_RMS_NORM_ABLATION_COUNT; a++)
        for (int b = 0; b < a; b++)
            cr_assert(strcmp(assay_rms_norm_ablation_name((assay_rms_norm_ablation)a),
                             assay_rms_norm_ablation_name((assay_rms_norm_ablation)b)) != 0);
    cr_assert_str_eq(assay_rms_norm_ablation_name(ASSAY_RMS_NORM_ABLATION_COUNT), "?");
}
