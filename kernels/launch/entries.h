/* Which back ends this build holds, and their entry of each kernel file: the only place in the
 * launchers that a build option is looked at. */
#ifndef ASSAY_LAUNCH_ENTRIES_H
#define ASSAY_LAUNCH_ENTRIES_H

#include "assay/kernel.h"

#ifdef ASSAY_HAVE_CUDA
#define ASSAY_IF_CUDA(...) __VA_ARGS__
#else
#define ASSAY_IF_CUDA(...)
#endif
#ifdef ASSAY_HAVE_HIP
#define ASSAY_IF_HIP(...) __VA_ARGS__
#else
#define ASSAY_IF_HIP(...)
#endif

/* Declares the entries of kernel file `name` and the table entries_<name>[backend], NULL where the
 * build has none. */
#define ASSAY_DECLARE_ENTRIES(name)                                                                \
    assay_kernel_entry assay_##name##_simt;                                                        \
    ASSAY_IF_CUDA(assay_kernel_entry assay_##name##_cuda;)                                         \
    ASSAY_IF_HIP(assay_kernel_entry assay_##name##_hip;)                                           \
    static assay_kernel_entry *const entries_##name[ASSAY_BACKEND_COUNT] = {                       \
        [ASSAY_SIMT] = assay_##name##_simt,                                                        \
        ASSAY_IF_CUDA([ASSAY_CUDA] = assay_##name##_cuda, )                                        \
            ASSAY_IF_HIP([ASSAY_HIP] = assay_##name##_hip, )}

/* The same for a kernel that no AMD chip of its instance table has, which is not compiled there. */
#define ASSAY_DECLARE_NVIDIA_ENTRIES(name)                                                         \
    assay_kernel_entry assay_##name##_simt;                                                        \
    ASSAY_IF_CUDA(assay_kernel_entry assay_##name##_cuda;)                                         \
    static assay_kernel_entry *const entries_##name[ASSAY_BACKEND_COUNT] = {                       \
        [ASSAY_SIMT] = assay_##name##_simt, ASSAY_IF_CUDA([ASSAY_CUDA] = assay_##name##_cuda, )}

#endif
