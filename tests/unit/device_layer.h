/* What the device layer's test kernels and their host side agree on. */
#ifndef ASSAY_UNIT_DEVICE_LAYER_H
#define ASSAY_UNIT_DEVICE_LAYER_H

#include <stdint.h>

enum device_layer_kernel {
    DEVICE_LAYER_PLACE,   /* every index function */
    DEVICE_LAYER_WARP,    /* shuffles and votes */
    DEVICE_LAYER_SHARED,  /* static and dynamic shared memory, barrier */
    DEVICE_LAYER_ATOMICS, /* every atomic */
    DEVICE_LAYER_CHUNKS,  /* 16-byte accesses and element access */
    DEVICE_LAYER_SHIFTS,  /* by the thread's index */
    DEVICE_LAYER_MISALIGNED_LOAD,
    DEVICE_LAYER_MISALIGNED_LOAD_F16,
    DEVICE_LAYER_MISALIGNED_LOAD_BF16,
    DEVICE_LAYER_MISALIGNED_STORE,
    DEVICE_LAYER_MISALIGNED_STORE_F16,
    DEVICE_LAYER_MISALIGNED_STORE_BF16
};

typedef struct device_layer_params {
    uint32_t *out;
    float *values;
    uint64_t *wide;
    const uint16_t *halves;
    uint32_t words; /* of dynamic shared memory */
} device_layer_params;

#endif
