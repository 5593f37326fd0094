/* Kernel libraries: shared objects whose launchers stand in for the built-in ones. */
#ifndef ASSAY_HARNESS_LAUNCHER_H
#define ASSAY_HARNESS_LAUNCHER_H

#include "assay/kernel.h"

/* Any function; cast to its own type before the call. */
typedef void assay_function(void);

/* Opens a library for assay_target.kernels. ERR_IO says what the loader said. */
assay_status assay_kernels_open(const char *path, void **kernels);
void assay_kernels_close(void *kernels);

/* The launcher that an op's launch must call: the library's `name` when the target has a library,
 * else the built-in one. NULL, with a message, when the library lacks it: falling back would judge
 * a kernel that the user did not ask about. */
assay_function *assay_launcher(const assay_target *target, const char *name,
                               assay_function *built_in);

#endif
