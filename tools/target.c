#include "target.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

static const char *backend_name_at(const void *table, size_t index) {
    (void)table;
    return index < ASSAY_BACKEND_COUNT ? assay_backend_name((assay_backend)index) : NULL;
}

static const char *chip_name_at(const void *table, size_t index) {
    (void)table;
    return index < assay_chip_count() ? assay_chip_at(index)->name : NULL;
}

static bool settle_chip(const char *command, const char *chip, assay_run_options *run) {
    run->chip = assay_chip_find(chip);
    if (!run->chip) {
        options_unknown(command, "chip", chip, chip_name_at, NULL);
        return false;
    }
    static const char *const vendors[ASSAY_BACKEND_COUNT] = {
        [ASSAY_SIMT] = NULL, [ASSAY_CUDA] = "nvidia", [ASSAY_HIP] = "amd"};
    const char *vendor = vendors[run->backend];
    if (!vendor || strcmp(vendor, run->chip->vendor) == 0) return true;
    fprintf(stderr, "%s: --chip %s is no %s chip, which --backend %s needs\n", command, chip,
            vendor, assay_backend_name(run->backend));
    return false;
}

bool target_settle(const char *command, const char *backend, const char *chip,
                   assay_run_options *run) {
    if (backend && !assay_backend_parse(backend, &run->backend)) {
        options_unknown(command, "back end", backend, backend_name_at, NULL);
        return false;
    }
    if (run->checked && run->backend != ASSAY_SIMT) {
        fprintf(stderr, "%s: --checked is for --backend simt\n", command);
        return false;
    }
    return !chip || settle_chip(command, chip, run);
}

const char *target_chip_name(const assay_run_options *run) {
    if (run->chip) return run->chip->name;
    return run->backend == ASSAY_HIP ? "mi300x" : "h200";
}
