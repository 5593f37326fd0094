#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "run_case.h"

void assay_launched_free(assay_launched *l) {
    for (size_t i = 0; i < ASSAY_MAX_TENSORS; i++) {
        free(l->out[i]);
        l->out[i] = NULL;
    }
}

static assay_status inputs_unchanged(assay_device *device, const assay_operands *o,
                                     const assay_placement *p) {
    for (size_t i = 0; i < o->count; i++) {
        const assay_tensor *t = &o->tensors[i];
        bool overwritten = false; /* by an output that shares its memory */
        for (size_t j = 0; j < o->count; j++) overwritten |= o->tensors[j].alias == (int)i;
        if (!t->present || t->output || overwritten) continue;
        const size_t bytes = assay_tensor_bytes(t);
        unsigned char *now = malloc(bytes);
        if (!now) return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory to re-read it", t->role);
        assay_status status = assay_fetch(device, o, p, i, now);
        const int64_t elements = assay_tensor_elements(t);
        const size_t size = assay_dtype_size(t->dtype);
        for (int64_t e = 0; e < elements && !status; e++)
            if (memcmp(now + (size_t)e * size, (char *)o->dense[i] + (size_t)e * size, size) != 0)
                status = assay_fail(ASSAY_ERR_KERNEL, "input \"%s\" was written at element %lld",
                                    t->role, (long long)e);
        free(now);
        if (status) return status;
    }
    return ASSAY_OK;
}

static assay_status fetch_outputs(assay_device *device, const assay_operands *o,
                                  const assay_placement *p, assay_launched *out) {
    for (size_t i = 0; i < o->count; i++) {
        const assay_tensor *t = &o->tensors[i];
        if (!t->present || !t->output) continue;
        out->out[i] = malloc(assay_tensor_bytes(t));
        if (!out->out[i])
            return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory for %zu bytes", t->role,
                              assay_tensor_bytes(t));
        const assay_status status = assay_fetch(device, o, p, i, out->out[i]);
        if (status) return status;
    }
    return ASSAY_OK;
}

assay_status assay_launch_once(assay_device *device, const assay_case *c, const assay_operands *o,
                               int poison, uint64_t seed, assay_launched *out, const char **check) {
    memset(out, 0, sizeof *out);
    *check = NULL;
    assay_placement p;
    assay_status status = assay_place(device, o, poison, &p);
    if (status) return status;
    if (device->set_seed) device->set_seed(device, seed);
    assay_target target = device->target;
    target.ran = &out->ran;
    *check = "launch";
    status = c->op->launch(c, o->tensors, p.device, &target);
    if (!status) {
        *check = "execution";
        status = device->sync(device);
    }
    if (!status) {
        *check = "nothing_outside";
        status = device->check_guards(device);
        if (!status) status = assay_check_gaps(device, o, &p);
    }
    if (!status) {
        *check = "inputs_unchanged";
        status = inputs_unchanged(device, o, &p);
    }
    if (!status) {
        *check = NULL;
        status = fetch_outputs(device, o, &p, out);
    }
    assay_unplace(device, o, &p);
    if (status) assay_launched_free(out);
    return status;
}
