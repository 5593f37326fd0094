/* Ops: what the harness must know of an operation, described once.
 *
 * One file in tests/harness/ops/ defines `const assay_op assay_op_NAME`; the build collects them.
 * Grid, generic checks, fuzzing, mutation, judging of dumps all work from this one description.
 */
#ifndef ASSAY_HARNESS_OP_H
#define ASSAY_HARNESS_OP_H

#include "assay/dtype.h"
#include "assay/kernel.h"
#include "assay/oracle.h"
#include "case.h"

#define ASSAY_MAX_TENSORS 8
#define ASSAY_MAX_RANK 4

/* One operand of one case. Dense host data is row-major without strides; `stride` and `offset` only
 * say how it lies in device memory (elements). */
typedef struct assay_tensor {
    const char *role; /* "x", "w", "y" */
    assay_dtype dtype;
    int rank;
    int64_t shape[ASSAY_MAX_RANK];
    int64_t stride[ASSAY_MAX_RANK]; /* elements; the last is 1 */
    int64_t offset;                 /* of element 0 from a 256-byte boundary, in elements */
    bool output;                    /* written by the op */
    bool present;                   /* false: the op is given NULL */
    bool batched; /* dimension 0 runs over units (rows that do not influence each other) */
    int alias;    /* index of the tensor whose memory this output shares; -1: none */
} assay_tensor;

typedef enum assay_level { ASSAY_SMOKE = 0, ASSAY_CI, ASSAY_NIGHTLY } assay_level;

struct assay_explanation;

/* Receives the cases of a grid; false stops the enumeration. */
typedef bool assay_case_sink(const assay_case *c, void *context);

typedef struct assay_op {
    const char *name;
    const char *summary; /* the formula, one line */
    const assay_attr *attrs;
    size_t attr_count;

    /* Attributes that do not change which terms of the op the data can show (data, seed, rows,
     * strides, offsets): a class of cases shares all others. NULL-terminated. */
    const char *const *class_ignores;

    /* Enumerates the cases of a level, cheap ones first. */
    void (*grid)(assay_level level, assay_case_sink *sink, void *context);

    /* Fills tensors[0..count) for the case. ERR_ARGUMENT: the case is inconsistent. */
    assay_status (*describe)(const assay_case *c, assay_tensor tensors[ASSAY_MAX_TENSORS],
                             size_t *count);

    /* Fills the dense inputs: data[i] for tensor i (NULL where absent or output). Deterministic in
     * the case; no libm. */
    void (*generate)(const assay_case *c, const assay_tensor *tensors, void *const *data);

    /* Runs the op under test. device[i] points at element 0 of tensor i (NULL where absent). */
    assay_status (*launch)(const assay_case *c, const assay_tensor *tensors, void *const *device,
                           const assay_target *target);

    /* The instance that must run: exact text of assay_ran.kernel. */
    void (*expected_kernel)(const assay_case *c, const assay_tensor *tensors, char *name,
                            size_t size);

    /* Bounds for unit `unit` of output tensor `output`: unit_size elements. `contract` is the text
     * of --contract, NULL for the kernel's declared one. Called from several threads. */
    assay_status (*oracle)(const assay_case *c, const assay_tensor *tensors,
                           const void *const *data, const char *contract, size_t output,
                           int64_t unit, assay_bound *bounds);

    /* Ablations: faulty variants of the op that the data of a class must be able to show. */
    size_t ablation_count;
    const char *(*ablation_name)(size_t ablation);
    bool (*ablation_applies)(const assay_case *c, size_t ablation);
    /* Exact value of the variant for one unit. */
    assay_status (*ablate)(const assay_case *c, const assay_tensor *tensors,
                           const void *const *data, size_t ablation, int64_t unit, double *y);

    /* The case for units first .. first + count - 1 alone. */
    assay_case (*slice)(const assay_case *c, int64_t first, int64_t count);

    /* Overrides that must not change a bit of the result, NULL-terminated: "x_offset=1", ... An
     * entry whose override the op's describe refuses is left out for that case. */
    const char *const *same_bits;

    /* Calls that must be refused. Returns how many were tried; writes what went wrong to `message`
     * ("" when every refusal was right: status as documented, output untouched, a message). */
    size_t (*refusals)(const assay_target *target, char *message, size_t size);

    /* Judging tensors made elsewhere. from_shapes sets the case's attributes from the tensors that
     * were given (role, dtype, rank and shape filled; leading dimensions collapse into rows); it
     * refuses shapes that do not belong together with ERR_ARGUMENT. judge_contract is the text of
     * the contract assumed when none is named: the widest the op offers. */
    assay_status (*from_shapes)(assay_case *c, const assay_tensor *given, size_t count);
    const char *judge_contract;
    const char *contract_help; /* what --contract may say */

    /* How the bound of element `element` of output tensor `output` comes about; see explain.h. The
     * bound must be the oracle's, bit for bit. NULL: the op does not explain. */
    assay_status (*explain)(const assay_case *c, const assay_tensor *tensors,
                            const void *const *data, const char *contract, size_t output,
                            int64_t element, struct assay_explanation *out);
} assay_op;

size_t assay_op_count(void);
const assay_op *assay_op_at(size_t index);
const assay_op *assay_op_find(const char *name);

/* False when the instance tables have the op, but for other chips only (op_chips.c). */
bool assay_op_runs_on(const assay_op *op, const assay_chip *chip);

/* Products of shapes, checked against int64. */
int64_t assay_tensor_elements(const assay_tensor *t);
int64_t assay_tensor_units(const assay_tensor *t);     /* shape[0] when batched, else 1 */
int64_t assay_tensor_unit_size(const assay_tensor *t); /* elements of one unit */

#endif
