#include "operands_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "npy.h"

static const assay_npy_type types[ASSAY_DTYPE_COUNT] = {
    [ASSAY_F32] = ASSAY_NPY_F32, [ASSAY_F16] = ASSAY_NPY_F16, [ASSAY_BF16] = ASSAY_NPY_BF16};

assay_status assay_operands_save(const assay_operands *o, const char *folder) {
    if (mkdir(folder, 0777) && errno != EEXIST)
        return assay_fail(ASSAY_ERR_IO, "%s: cannot be made: %s", folder, strerror(errno));
    for (size_t i = 0; i < o->count; i++) {
        char path[4096];
        const assay_tensor *t = &o->tensors[i];
        if (!o->dense[i]) continue;
        const int n = snprintf(path, sizeof path, "%s/%s.npy", folder, t->role);
        if (n < 0 || (size_t)n >= sizeof path)
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: the path is too long", folder);
        const assay_status status =
            assay_npy_save(path, types[t->dtype], t->rank, t->shape, o->dense[i]);
        if (status) return status;
    }
    return ASSAY_OK;
}

static assay_status take(const assay_tensor *t, const assay_npy *file, void *dense) {
    const bool as_bf16 = t->dtype == ASSAY_BF16 && file->type == ASSAY_NPY_U16;
    if (file->type != types[t->dtype] && !as_bf16)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "%s: descr: found %s, expected %s like '%s' of the case", file->path,
                          assay_npy_type_name(file->type), assay_dtype_name(t->dtype), t->role);
    if (file->elements != assay_tensor_elements(t))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "%s: shape: found %lld elements, expected %lld like '%s' of the case",
                          file->path, (long long)file->elements,
                          (long long)assay_tensor_elements(t), t->role);
    memcpy(dense, file->data, (size_t)file->elements * assay_dtype_size(t->dtype));
    return ASSAY_OK;
}

assay_status assay_operands_load(assay_operands *o, const char *role, const char *path) {
    assay_npy file;
    size_t i = 0;
    while (i < o->count && !(o->dense[i] && strcmp(o->tensors[i].role, role) == 0)) i++;
    if (i == o->count) return assay_fail(ASSAY_ERR_ARGUMENT, "the case has no input '%.64s'", role);
    assay_status status = assay_npy_load(path, &file);
    if (status) return status;
    status = take(&o->tensors[i], &file, o->dense[i]);
    assay_npy_free(&file);
    return status;
}
