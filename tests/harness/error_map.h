/* Where in a tensor errors come close to their bounds, or pass them: one case, as a picture. */
#ifndef ASSAY_HARNESS_ERROR_MAP_H
#define ASSAY_HARNESS_ERROR_MAP_H

#include "histogram.h"
#include "runner.h"

#define ASSAY_MAP_ROWS 48
#define ASSAY_MAP_COLUMNS 128

typedef struct assay_error_map {
    assay_case c;
    const char *role; /* of the output: "y" */
    int64_t rows, columns;
    int map_rows, map_columns; /* the picture's; a cell is a block of elements */
    /* Largest error over bound in the cell; NaN where no element has a finite bound. Storage that
     * rounds counts half a step of itself to the bound. */
    float cells[ASSAY_MAP_ROWS][ASSAY_MAP_COLUMNS];
    bool failed[ASSAY_MAP_ROWS][ASSAY_MAP_COLUMNS];
    bool storage_rounds;
    int64_t failures;
    char where[256]; /* pattern of the failures; "" when there are none */
    assay_histogram elements;
} assay_error_map;

/* Runs the case once more and looks at its first output. What the launch itself reports (a refusal,
 * a fault) is the status: there is nothing to see then. */
assay_status assay_error_map_make(const assay_run_options *options, const assay_case *c,
                                  assay_error_map *out);

#endif
