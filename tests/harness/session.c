#include "session.h"

#include <string.h>
#include <time.h>

#include "run_case.h"

assay_status assay_session_open(const assay_run_options *options, assay_session *s) {
    *s = (assay_session){.options = options};
    assay_status status = assay_device_open(options->backend, options->chip, &s->device);
    if (!status && options->backend != ASSAY_SIMT) {
        status = assay_device_open(ASSAY_SIMT, s->device.target.chip, &s->executor);
        if (status) s->device.close(&s->device);
        s->twin = status == ASSAY_OK;
    }
    s->device.target.kernels = options->kernels;
    return status;
}

void assay_session_close(assay_session *s) {
    if (s->twin) s->executor.close(&s->executor);
    s->device.close(&s->device);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void assay_session_run(assay_session *s, const assay_case *c, const assay_operands *o,
                       assay_result *r) {
    const double start = now();
    memset(r, 0, sizeof *r);
    r->c = *c;
    r->backend = assay_backend_name(s->options->backend);
    assay_run_case(&s->device, s->twin ? &s->executor : NULL, c, o, s->options, r);
    r->seconds = now() - start;
}
