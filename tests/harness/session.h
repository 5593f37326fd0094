/* Running cases one by one, with whatever operands: what shrinking and reproducing need. */
#ifndef ASSAY_HARNESS_SESSION_H
#define ASSAY_HARNESS_SESSION_H

#include "backend.h"
#include "operands.h"
#include "result.h"
#include "runner.h"

typedef struct assay_session {
    const assay_run_options *options; /* backend, chip, kernels, seed, contract */
    assay_device device, executor;
    bool twin; /* a GPU is held against the executor, as in a run of many cases */
} assay_session;

/* The options must live as long as the session. */
assay_status assay_session_open(const assay_run_options *options, assay_session *session);
void assay_session_close(assay_session *session);

/* Everything that a run of the case checks, trust aside, on these operands instead of generated
 * ones; o must be as the case's describe has it. */
void assay_session_run(assay_session *session, const assay_case *c, const assay_operands *o,
                       assay_result *result);

#endif
