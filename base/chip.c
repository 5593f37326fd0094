/* Chip records. Limits are the vendors' documented ones (CUDA programming guide, compute
 * capabilities; AMD CDNA ISA and HIP device properties). max_shared_bytes is what one block may use
 * after opting in. AMD's launch limit is 2^32 - 1 threads in all.
 */
#include "assay/chip.h"

#include <string.h>

#define NVIDIA_GRID_X 2147483647u
#define NVIDIA_GRID_THREADS (UINT64_C(2147483647) * 1024u)
#define AMD_GRID_THREADS UINT64_C(4294967295)

static const assay_chip chips[] = {
    {"a100", "sm_80", "nvidia", 32, 108, 1024, 163 * 1024, NVIDIA_GRID_THREADS, NVIDIA_GRID_X},
    {"l40s", "sm_89", "nvidia", 32, 142, 1024, 99 * 1024, NVIDIA_GRID_THREADS, NVIDIA_GRID_X},
    {"h200", "sm_90a", "nvidia", 32, 132, 1024, 227 * 1024, NVIDIA_GRID_THREADS, NVIDIA_GRID_X},
    {"b200", "sm_100a", "nvidia", 32, 148, 1024, 227 * 1024, NVIDIA_GRID_THREADS, NVIDIA_GRID_X},
    {"rtx5090", "sm_120a", "nvidia", 32, 170, 1024, 99 * 1024, NVIDIA_GRID_THREADS, NVIDIA_GRID_X},
    {"mi250", "gfx90a", "amd", 64, 104, 1024, 64 * 1024, AMD_GRID_THREADS, 2147483647u},
    {"mi300x", "gfx942", "amd", 64, 304, 1024, 64 * 1024, AMD_GRID_THREADS, 2147483647u},
};

size_t assay_chip_count(void) { return sizeof chips / sizeof chips[0]; }

const assay_chip *assay_chip_at(size_t index) {
    return index < assay_chip_count() ? &chips[index] : NULL;
}

const assay_chip *assay_chip_find(const char *name) {
    for (size_t i = 0; i < assay_chip_count(); i++)
        if (strcmp(chips[i].name, name) == 0 || strcmp(chips[i].arch, name) == 0) return &chips[i];
    return NULL;
}
