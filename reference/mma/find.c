/* The table of instructions as one list, and names. */
#include <ctype.h>
#include <string.h>

#include "internal.h"

size_t assay_mma_count(void) { return mma_nvidia_count + mma_amd_count; }

const assay_mma *assay_mma_at(size_t index) {
    if (index < mma_nvidia_count) return &mma_nvidia[index];
    index -= mma_nvidia_count;
    return index < mma_amd_count ? &mma_amd[index] : NULL;
}

/* "sm_90a" is "sm_90" with its own instructions. */
static bool same_arch(const char *record, const char *asked) {
    const size_t length = strlen(record);
    if (strncmp(record, asked, length) != 0) return false;
    asked += length;
    return *asked == '\0' ||
           (strncmp(record, "sm_", 3) == 0 && (*asked == 'a' || *asked == 'f') && asked[1] == '\0');
}

/* 'N' in the record's name stands for itself or for a number: a multiple of 8 up to 256. */
static bool same_name(const char *record, const char *asked) {
    for (; *record; record++) {
        if (*record != 'N' || *asked == 'N') {
            if (*record != *asked++) return false;
            continue;
        }
        int n = 0;
        for (; isdigit((unsigned char)*asked) && n < 1000; asked++) n = 10 * n + (*asked - '0');
        if (n < 8 || n > 256 || n % 8) return false;
    }
    return *asked == '\0';
}

const assay_mma *assay_mma_find(const char *arch, const char *name) {
    for (size_t i = 0; i < assay_mma_count(); i++) {
        const assay_mma *mma = assay_mma_at(i);
        if (same_arch(mma->arch, arch) && same_name(mma->name, name)) return mma;
    }
    return NULL;
}

const char *assay_mma_confidence_name(assay_mma_confidence confidence) {
    static const char *const names[] = {"measured", "two models", "one model", "inferred"};
    return (unsigned)confidence < sizeof names / sizeof names[0] ? names[confidence] : "?";
}
