#include "launcher.h"

#include <dlfcn.h>
#include <string.h>

assay_status assay_kernels_open(const char *path, void **kernels) {
    *kernels = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*kernels) return ASSAY_OK;
    const char *why = dlerror();
    return assay_fail(ASSAY_ERR_IO, "the kernel library %s cannot be loaded: %s", path,
                      why ? why : "no reason given");
}

void assay_kernels_close(void *kernels) {
    if (kernels) dlclose(kernels);
}

assay_function *assay_launcher(const assay_target *target, const char *name,
                               assay_function *built_in) {
    if (!target->kernels) return built_in;
    void *const symbol = dlsym(target->kernels, name);
    assay_function *launcher = NULL;
    _Static_assert(sizeof launcher == sizeof symbol, "POSIX: functions and objects alike");
    memcpy(&launcher, &symbol, sizeof launcher); /* ISO C has no cast between the two */
    if (!launcher)
        assay_fail(ASSAY_ERR_UNSUPPORTED, "the kernel library holds no launcher \"%s\"", name);
    return launcher;
}
