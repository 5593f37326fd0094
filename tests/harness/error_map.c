#include "error_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "compare.h"
#include "run_case.h"

/* Half the distance between the stored value and its neighbour away from zero. */
static double half_step(assay_dtype dtype, uint32_t bits) {
    return fabs(assay_format_decode(dtype, bits + 1) - assay_format_decode(dtype, bits)) / 2;
}

static double closeness(const assay_error_map *map, assay_dtype dtype, uint32_t got,
                        const assay_bound *b) {
    if (!map->storage_rounds) return assay_slack(dtype, got, b);
    const double value = assay_format_decode(dtype, got), error = fabs(value - b->y);
    const double room = value > b->y ? b->hi - b->y : b->y - b->lo;
    const double ratio = error == 0 ? 0 : error / (room + half_step(dtype, got));
    return isfinite(ratio) ? ratio : (double)NAN;
}

static void add(assay_error_map *map, assay_dtype dtype, uint32_t got, const assay_bound *b,
                int64_t row, int64_t column) {
    const double close = closeness(map, dtype, got, b);
    const int64_t r = row * map->map_rows / map->rows;
    const int64_t c = column * map->map_columns / map->columns;
    float *cell = &map->cells[r][c];
    assay_histogram_add(&map->elements, close);
    if (!isnan(close) && !((double)*cell >= close)) *cell = (float)close;
}

static assay_status fill(const assay_run_options *options, const assay_operands *o, size_t output,
                         const void *got, assay_error_map *map) {
    const assay_tensor *t = &o->tensors[output];
    const int64_t size = assay_tensor_unit_size(t), units = assay_tensor_units(t);
    assay_bound *bounds = malloc((size_t)size * sizeof *bounds);
    unsigned char *failures = calloc((size_t)(size * units), 1);
    assay_status status =
        bounds && failures ? ASSAY_OK : assay_fail(ASSAY_ERR_MEMORY, "no memory for an error map");
    for (int64_t unit = 0; unit < units && !status; unit++) {
        status = map->c.op->oracle(&map->c, o->tensors, (const void *const *)o->dense,
                                   options->contract, output, unit, bounds);
        for (int64_t i = 0; i < size && !status; i++) {
            const int64_t at = unit * size + i;
            const int64_t row = at / map->columns, column = at % map->columns;
            const uint32_t bits = assay_format_load(t->dtype, got, at);
            add(map, t->dtype, bits, &bounds[i], row, column);
            if (assay_accepts(t->dtype, bits, &bounds[i])) continue;
            failures[at] = 1;
            map->failures++;
            map->failed[row * map->map_rows / map->rows][column * map->map_columns / map->columns] =
                true;
        }
    }
    if (!status && map->failures)
        assay_pattern(failures, map->rows, map->columns, map->where, sizeof map->where);
    free(bounds);
    free(failures);
    return status;
}

static void start(assay_error_map *map, const assay_case *c, const assay_tensor *t) {
    memset(map, 0, sizeof *map);
    map->c = *c;
    map->role = t->role;
    map->columns = t->shape[t->rank - 1];
    map->rows = assay_tensor_elements(t) / map->columns;
    map->map_rows = map->rows < ASSAY_MAP_ROWS ? (int)map->rows : ASSAY_MAP_ROWS;
    map->map_columns = map->columns < ASSAY_MAP_COLUMNS ? (int)map->columns : ASSAY_MAP_COLUMNS;
    map->storage_rounds = t->dtype != ASSAY_F32;
    for (int r = 0; r < ASSAY_MAP_ROWS; r++)
        for (int k = 0; k < ASSAY_MAP_COLUMNS; k++) map->cells[r][k] = NAN;
}

static assay_status launch(const assay_run_options *options, const assay_case *c,
                           const assay_operands *o, assay_launched *launched) {
    assay_device device;
    const char *check;
    assay_status status = assay_device_open(options->backend, options->chip, &device);
    if (status) return status;
    device.target.kernels = options->kernels;
    status = assay_launch_once(&device, c, o, 0xff, options->seed, launched, &check);
    device.close(&device);
    return status;
}

assay_status assay_error_map_make(const assay_run_options *options, const assay_case *c,
                                  assay_error_map *map) {
    assay_operands o;
    assay_launched launched;
    assay_status status = assay_operands_create(c, &o);
    if (status) return status;
    size_t output = 0;
    while (output + 1 < o.count && !(o.tensors[output].output && o.tensors[output].present))
        output++;
    if (assay_tensor_elements(&o.tensors[output]) <= 0) {
        status = assay_fail(ASSAY_ERR_ARGUMENT, "the case has no output element");
    } else {
        start(map, c, &o.tensors[output]);
        status = launch(options, c, &o, &launched);
        if (!status) {
            status = fill(options, &o, output, launched.out[output], map);
            assay_launched_free(&launched);
        }
    }
    assay_operands_free(&o);
    return status;
}
