/* The generator behind all test data: what it promises, and that its coordinates count. */
#include "random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define DRAWS 65536

Test(random, numbers_depend_on_each_coordinate_alone) {
    for (uint64_t i = 0; i < 4096; i++) {
        const uint64_t r = assay_random(7, 1, i);
        cr_assert_eq(r, assay_random(7, 1, i));
        cr_assert_neq(r, assay_random(7, 1, i + 1));
        cr_assert_neq(r, assay_random(7, 2, i));
        cr_assert_neq(r, assay_random(8, 1, i));
    }
}

Test(random, every_bit_is_set_half_the_time) {
    int ones[64] = {0};
    for (uint64_t i = 0; i < DRAWS; i++)
        for (int b = 0; b < 64; b++) ones[b] += (int)(assay_random(3, 1, i) >> b & 1);
    for (int b = 0; b < 64; b++)
        cr_expect(abs(ones[b] - DRAWS / 2) < DRAWS / 64, "bit %d: %d of %d", b, ones[b], DRAWS);
}

Test(random, uniform_fills_its_range) {
    double sum = 0, least = 1, most = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = assay_random_uniform(assay_random(5, 1, i));
        sum += u;
        least = fmin(least, u);
        most = fmax(most, u);
    }
    cr_expect(least >= 0 && least < 1e-3 && most < 1 && most > 1 - 1e-3, "%g..%g", least, most);
    cr_expect(fabs(sum / DRAWS - 0.5) < 0.01, "mean %g", sum / DRAWS);
}

/* Mean, variance and both signs: a kernel that loses a sign is to be seen on normal data, too. */
Test(random, normal_has_its_moments) {
    double sum = 0, squares = 0, largest = 0;
    int negative = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double v = assay_random_normal(assay_random(9, 1, i));
        sum += v;
        squares += v * v;
        largest = fmax(largest, fabs(v));
        negative += v < 0;
    }
    cr_expect(fabs(sum / DRAWS) < 0.02, "mean %g", sum / DRAWS);
    cr_expect(fabs(squares / DRAWS - 1) < 0.02, "variance %g", squares / DRAWS);
    cr_expect(abs(negative - DRAWS / 2) < DRAWS / 64, "%d of %d negative", negative, DRAWS);
    cr_expect(largest > 2.5 && largest < 3.5, "largest %g", largest);
}
