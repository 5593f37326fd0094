/* Which chips an op has kernels for, by the instance tables. */
#include <string.h>

#include "op.h"

static bool listed(const char *archs, const char *arch) {
    const size_t length = strlen(arch);
    for (const char *at = strstr(archs, arch); at; at = strstr(at + 1, arch))
        if ((at == archs || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool assay_op_runs_on(const assay_op *op, const assay_chip *chip) {
    bool found = false;
    for (size_t i = 0; i < assay_kernel_count(); i++) {
        const assay_kernel *kernel = assay_kernel_at(i);
        if (strcmp(kernel->op, op->name) != 0) continue;
        if (listed(kernel->archs, chip->arch)) return true;
        found = true;
    }
    return !found;
}
