/* Chips by architecture, as instance tables name them. */
#ifndef ASSAY_LAUNCH_ARCHS_H
#define ASSAY_LAUNCH_ARCHS_H

#include <stdbool.h>
#include <string.h>

#define ASSAY_ARCHS_NVIDIA "sm_80 sm_89 sm_90a sm_100a sm_120a"
#define ASSAY_ARCHS_ALL ASSAY_ARCHS_NVIDIA " gfx90a gfx942"

/* Whether the blank-separated list holds `arch`. */
static inline bool assay_arch_listed(const char *archs, const char *arch) {
    const size_t length = strlen(arch);
    for (const char *at = strstr(archs, arch); at; at = strstr(at + 1, arch))
        if ((at == archs || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

#endif
