/* Judging tensors that were made outside assay: a framework's dumps, against the op's oracle.
 *
 * The tensors are named by role; their shapes and types decide the case. Nothing is known of the
 * kernel that made them, so the contract is an assumption and is reported with the verdict.
 */
#ifndef ASSAY_HARNESS_JUDGE_H
#define ASSAY_HARNESS_JUDGE_H

#include "op.h"
#include "result.h"

typedef struct assay_judge_tensor {
    const char *role;
    const char *path; /* a .npy file */
    bool bf16;        /* the file's 16-bit integers are bf16: NumPy has no such type */
    bool output;
} assay_judge_tensor;

typedef struct assay_judge_request {
    const assay_op *op;
    const assay_judge_tensor *tensors;
    size_t count;
    const char *attributes; /* "eps=1e-5 conv=rb": what shapes cannot say; NULL: defaults */
    const char *contract;   /* NULL: the op's judge_contract */
    const char *accept;     /* "no_eps,eps_x10" or "all": blind spots that the user knows of */
} assay_judge_request;

typedef struct assay_judgement {
    assay_result result;  /* word, case, message, tally; no back end and no kernel */
    const char *output;   /* role of the output that the tally is of */
    const char *contract; /* the one that was assumed */
    char blind[512];      /* faults that these inputs cannot show, separated by ", "; "" if none */
} assay_judgement;

/* Verdicts: FAILED where an output leaves its interval; ILL_CONDITIONED where most intervals are
 * too wide to say anything under that contract; MISTRUSTED where all is right but `blind` faults
 * that nobody accepted would have passed as well; else PASSED.
 *
 * ERR_ARGUMENT when roles, shapes, types, attributes or the contract do not fit the op; what the
 * files themselves have wrong is reported as npy.h says. f64 files are taken when every value is
 * an f32, else refused: they are references, not results that a kernel stored. */
assay_status assay_judge(const assay_judge_request *request, assay_judgement *out);

#endif
