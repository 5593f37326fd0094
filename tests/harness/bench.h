/* Timing kernels on a device, as ratios within one run.
 *
 * Protocol: operands rotate through copies so that each call finds its streamed operand outside the
 * L2 cache; warm-up first; then rounds that interleave the kernel and its opponents (A B B A). A
 * round's figure is the mean of one batch of launches between two device events; the cell's is the
 * median over rounds; a ratio is the median of the rounds' ratios. Clocks are left as they are
 * found. The last output is checked against the oracle on sampled units before a figure is given.
 *
 * The opponent "copy" moves the same bytes with the runtime's own device-to-device copy.
 */
#ifndef ASSAY_HARNESS_BENCH_H
#define ASSAY_HARNESS_BENCH_H

#include "assay/kernel.h"
#include "op.h"

#define ASSAY_BENCH_ROUNDS 15

typedef struct assay_bench_row {
    assay_case c;
    char kernel[96];
    double median_us, p10_us, p90_us; /* of the kernel, a launch */
    double copy_us;                   /* median of the copy of the same bytes */
    double ratio_to_copy;             /* median of per-round copy time / kernel time */
    double ratio_low, ratio_high;     /* smallest and largest round */
    int64_t bytes;                    /* the least the op must move: inputs once, outputs once */
    int copies;                       /* operand sets rotated through */
    int64_t validated;                /* outputs checked against the oracle afterwards */
} assay_bench_row;

/* ERR_UNSUPPORTED when the back end cannot be timed (the executor measures nothing of a chip). */
assay_status assay_bench(assay_backend backend, const assay_case *c, assay_bench_row *row);

#endif
