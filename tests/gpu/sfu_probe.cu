// Evaluates the special functions of sfu_probe.h on an sm_90 device. The CUDA functions are
// compiled here, without fast math, as in a user's kernel.
#include "sfu_probe.h"

#include <cuda_runtime.h>

// One kernel a function: out[i] = f(first + i).
#define KERNEL(ID, STATEMENT)                                                                      \
    static __global__ void ID##_kernel(uint32_t first, uint32_t count, uint32_t *out) {            \
        const uint32_t stride = gridDim.x * blockDim.x;                                            \
        for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {         \
            const uint32_t x = first + i;                                                          \
            STATEMENT                                                                              \
        }                                                                                          \
    }
#define PTX_KERNEL(MODEL, ID, NAME) KERNEL(ID, asm(NAME " %0,%1;" : "=r"(out[i]) : "r"(x));)
#define HALF_KERNEL(MODEL, ID, NAME)                                                               \
    KERNEL(ID, uint16_t y; asm(NAME " %0,%1;" : "=h"(y) : "h"((uint16_t)x)); out[i] = y;)
SFU_PROBE_PTX(PTX_KERNEL)
SFU_PROBE_HALF(HALF_KERNEL)
#define CUDA_KERNEL(ID, FUNCTION)                                                                  \
    KERNEL(ID, out[i] = __float_as_uint(FUNCTION(__uint_as_float(x)));)
CUDA_KERNEL(expf, expf)
CUDA_KERNEL(exp2f, exp2f)
CUDA_KERNEL(rsqrtf, rsqrtf)
CUDA_KERNEL(fast_expf, __expf)
CUDA_KERNEL(fast_logf, __logf)

static uint32_t *buffer;

extern "C" int sfu_probe_open(const char **name, uint32_t **host) {
    static cudaDeviceProp properties;
    int count = 0;
    *name = "no CUDA device";
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 77;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 77;
    *name = properties.name;
    if (properties.major != 9 || properties.minor != 0) return 77;
    const size_t bytes = 4 * (size_t)SFU_PROBE_BATCH;
    if (cudaMalloc(&buffer, bytes) != cudaSuccess) return 77;
    return cudaMallocHost(host, bytes) == cudaSuccess ? 0 : 77; /* pinned: copied to faster */
}

extern "C" const char *sfu_probe_error(int error) { return cudaGetErrorString((cudaError_t)error); }

extern "C" int sfu_probe_device(int index, uint64_t first, uint32_t count, uint32_t *out) {
    static void (*const kernels[])(uint32_t, uint32_t, uint32_t *) = {
#define ENTRY(MODEL, ID, NAME) ID##_kernel,
        SFU_PROBE_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    if (count > SFU_PROBE_BATCH) return (int)cudaErrorInvalidValue;
    kernels[index]<<<1056, 256>>>((uint32_t)first, count, buffer);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(out, buffer, 4 * (size_t)count, cudaMemcpyDeviceToHost);
    return (int)error;
}
