/* What an H200 returned, recorded by gpu_sfu --vectors, against the models. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "assay/sfu.h"

Test(sfu, recorded_h200_vectors) {
    FILE *f = fopen(ASSAY_GOLDEN "/h200/sfu_vectors.txt", "r");
    cr_assert(f != NULL, "no " ASSAY_GOLDEN "/h200/sfu_vectors.txt");
    char line[256], name[64];
    int seen[ASSAY_SFU_FUNCTION_COUNT] = {0};
    while (fgets(line, sizeof line, f)) {
        unsigned x, y;
        assay_sfu_function function;
        if (line[0] == '#') continue;
        cr_assert(sscanf(line, "%63s %x %x", name, &x, &y) == 3, "malformed: %s", line);
        cr_assert(assay_sfu_parse(name, &function), "unknown function: %s", name);
        cr_expect_eq(assay_sfu(function, x), y, "%s 0x%08x: chip 0x%08x", name, x, y);
        seen[function]++;
    }
    fclose(f);
    for (int i = 0; i < ASSAY_SFU_FUNCTION_COUNT; i++)
        cr_expect_gt(seen[i], 100, "%s", assay_sfu_name((assay_sfu_function)i));
}
