/* Device layer on NVIDIA: nvcc with -fmad=false -ftz=false -prec-div=true -prec-sqrt=true. */
#ifndef ASSAY_DEVICE_CUDA_H
#define ASSAY_DEVICE_CUDA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define DEV_INLINE static __device__ __forceinline__
#define DEV_KERNEL(max_threads) static __global__ void __launch_bounds__(max_threads)
#define DEV_UNROLL _Pragma("unroll")
#define DEV_ENTRY(name)                                                                            \
    extern "C" assay_status assay_##name##_cuda(int instance, const assay_geometry *geometry,      \
                                                const void *params, void *stream)

/* Place. */
DEV_INLINE uint32_t dev_thread_x() { return threadIdx.x; }
DEV_INLINE uint32_t dev_thread_y() { return threadIdx.y; }
DEV_INLINE uint32_t dev_thread_z() { return threadIdx.z; }
DEV_INLINE uint32_t dev_block_x() { return blockIdx.x; }
DEV_INLINE uint32_t dev_block_y() { return blockIdx.y; }
DEV_INLINE uint32_t dev_block_z() { return blockIdx.z; }
DEV_INLINE uint32_t dev_block_dim_x() { return blockDim.x; }
DEV_INLINE uint32_t dev_block_dim_y() { return blockDim.y; }
DEV_INLINE uint32_t dev_block_dim_z() { return blockDim.z; }
DEV_INLINE uint32_t dev_grid_x() { return gridDim.x; }
DEV_INLINE uint32_t dev_grid_y() { return gridDim.y; }
DEV_INLINE uint32_t dev_grid_z() { return gridDim.z; }
DEV_INLINE uint32_t dev_warp_size() { return 32; }
DEV_INLINE uint32_t dev_lane() {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Bits and arithmetic. */
DEV_INLINE uint32_t dev_bits(float v) { return __float_as_uint(v); }
DEV_INLINE float dev_float(uint32_t bits) { return __uint_as_float(bits); }
DEV_INLINE float dev_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEV_INLINE float dev_div(float a, float b) { return __fdiv_rn(a, b); }
DEV_INLINE float dev_sqrt(float v) { return __fsqrt_rn(v); }

/* Conversions: cvt.rn, whose NaN is already canonical. */
DEV_INLINE dev_f16 dev_f32_to_f16(float v) { return dev_f16{__half_as_ushort(__float2half_rn(v))}; }
DEV_INLINE dev_bf16 dev_f32_to_bf16(float v) {
    return dev_bf16{__bfloat16_as_ushort(__float2bfloat16_rn(v))};
}
DEV_INLINE float dev_to_f32(dev_f16 v) { return __half2float(__ushort_as_half(v.bits)); }

/* Block. */
DEV_INLINE void dev_barrier() { __syncthreads(); }
#define dev_shared(type, name, count) __shared__ alignas(16) type name[count]
#define dev_shared_dynamic(type, name)                                                             \
    extern __shared__ uint4 dev_dynamic_shared_memory[];                                           \
    type *const name = reinterpret_cast<type *>(dev_dynamic_shared_memory)

/* Warp. */
typedef uint32_t dev_mask;
DEV_INLINE dev_mask dev_full_mask() { return 0xffffffffu; }
DEV_INLINE void dev_warp_sync(dev_mask mask) { __syncwarp(mask); }
template <typename T>
DEV_INLINE T dev_shfl(dev_mask mask, T v, uint32_t source) {
    return __shfl_sync(mask, v, (int)source);
}
template <typename T>
DEV_INLINE T dev_shfl_up(dev_mask mask, T v, uint32_t delta) {
    return __shfl_up_sync(mask, v, delta);
}
template <typename T>
DEV_INLINE T dev_shfl_down(dev_mask mask, T v, uint32_t delta) {
    return __shfl_down_sync(mask, v, delta);
}
template <typename T>
DEV_INLINE T dev_shfl_xor(dev_mask mask, T v, uint32_t lane_mask) {
    return __shfl_xor_sync(mask, v, (int)lane_mask);
}
DEV_INLINE dev_mask dev_ballot(dev_mask mask, bool predicate) {
    return __ballot_sync(mask, predicate);
}
DEV_INLINE bool dev_any(dev_mask mask, bool predicate) { return __any_sync(mask, predicate) != 0; }
DEV_INLINE bool dev_all(dev_mask mask, bool predicate) { return __all_sync(mask, predicate) != 0; }

/* Memory: one 16-byte access. */
template <typename T>
DEV_INLINE dev_chunk<T> dev_load_16(const dev_chunk<T> *address) {
    union {
        uint4 raw;
        dev_chunk<T> chunk;
    } both;
    both.raw = *reinterpret_cast<const uint4 *>(address);
    return both.chunk;
}
template <typename T>
DEV_INLINE void dev_store_16(dev_chunk<T> *address, const dev_chunk<T> &chunk) {
    union {
        uint4 raw;
        dev_chunk<T> chunk;
    } both;
    both.chunk = chunk;
    *reinterpret_cast<uint4 *>(address) = both.raw;
}

/* Atomics. 64-bit forms go through unsigned long long, which is CUDA's name for uint64_t. */
template <typename T>
DEV_INLINE T dev_atomic_add(T *address, T v) {
    return atomicAdd(address, v);
}
DEV_INLINE uint64_t dev_atomic_add(uint64_t *address, uint64_t v) {
    return atomicAdd(reinterpret_cast<unsigned long long *>(address), (unsigned long long)v);
}
template <typename T>
DEV_INLINE T dev_atomic_max(T *address, T v) {
    return atomicMax(address, v);
}
template <typename T>
DEV_INLINE T dev_atomic_cas(T *address, T expected, T desired) {
    return atomicCAS(address, expected, desired);
}
template <typename T>
DEV_INLINE T dev_atomic_exchange(T *address, T v) {
    return atomicExch(address, v);
}
template <typename T>
DEV_INLINE T dev_atomic_load(const T *address) {
    return *const_cast<const volatile T *>(address);
}
template <typename T>
DEV_INLINE void dev_atomic_store(T *address, T v) {
    *const_cast<volatile T *>(address) = v;
}

/* Launch. Dynamic shared memory beyond 48 KiB must be asked for per kernel. */
template <auto KERNEL, typename P>
static inline assay_status dev_launch(const char *name, const assay_geometry *geometry,
                                      const P &params, void *stream) {
    const dim3 grid(geometry->grid[0], geometry->grid[1], geometry->grid[2]);
    const dim3 block(geometry->block[0], geometry->block[1], geometry->block[2]);
    cudaError_t error = cudaSuccess;
    if (geometry->shared_bytes > 48 * 1024)
        error = cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)geometry->shared_bytes);
    if (error == cudaSuccess) {
        KERNEL<<<grid, block, geometry->shared_bytes, static_cast<cudaStream_t>(stream)>>>(params);
        error = cudaGetLastError();
    }
    if (error != cudaSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "%s: launch failed: %s", name,
                          cudaGetErrorString(error));
    return ASSAY_OK;
}

#endif
