/* Device layer on AMD: clang's HIP mode and its builtins alone, without ROCm's device headers and
 * libraries. Compiled for gfx90a and gfx942 (waves of 64); not run on hardware.
 *
 * Why builtins: ROCm's __fmul_rn and __fadd_rn may fuse and its __fsqrt_rn is not correctly
 * rounded; the compiler's own division and square root are, and -ffp-contract=off holds for them.
 */
#ifndef ASSAY_DEVICE_HIP_H
#define ASSAY_DEVICE_HIP_H

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#define DEV_INLINE static inline __attribute__((device, always_inline))
#define DEV_KERNEL(max_threads)                                                                    \
    static __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, max_threads)))
#define DEV_UNROLL _Pragma("unroll")
#define DEV_ENTRY(name)                                                                            \
    extern "C" assay_status assay_##name##_hip(int instance, const assay_geometry *geometry,       \
                                               const void *params, void *stream)

/* Place. */
DEV_INLINE uint32_t dev_thread_x() { return __builtin_amdgcn_workitem_id_x(); }
DEV_INLINE uint32_t dev_thread_y() { return __builtin_amdgcn_workitem_id_y(); }
DEV_INLINE uint32_t dev_thread_z() { return __builtin_amdgcn_workitem_id_z(); }
DEV_INLINE uint32_t dev_block_x() { return __builtin_amdgcn_workgroup_id_x(); }
DEV_INLINE uint32_t dev_block_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEV_INLINE uint32_t dev_block_z() { return __builtin_amdgcn_workgroup_id_z(); }
DEV_INLINE uint32_t dev_block_dim_x() { return __builtin_amdgcn_workgroup_size_x(); }
DEV_INLINE uint32_t dev_block_dim_y() { return __builtin_amdgcn_workgroup_size_y(); }
DEV_INLINE uint32_t dev_block_dim_z() { return __builtin_amdgcn_workgroup_size_z(); }
DEV_INLINE uint32_t dev_grid_x() { return __builtin_amdgcn_grid_size_x() / dev_block_dim_x(); }
DEV_INLINE uint32_t dev_grid_y() { return __builtin_amdgcn_grid_size_y() / dev_block_dim_y(); }
DEV_INLINE uint32_t dev_grid_z() { return __builtin_amdgcn_grid_size_z() / dev_block_dim_z(); }
DEV_INLINE uint32_t dev_warp_size() { return 64; }
DEV_INLINE uint32_t dev_lane() {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

/* Bits and arithmetic. */
DEV_INLINE uint32_t dev_bits(float v) { return __builtin_bit_cast(uint32_t, v); }
DEV_INLINE float dev_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
DEV_INLINE float dev_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEV_INLINE float dev_div(float a, float b) { return a / b; }
DEV_INLINE float dev_sqrt(float v) { return __builtin_sqrtf(v); }

/* Conversions. v_cvt_f16_f32 rounds to nearest even; bf16 is integer code on these chips. */
DEV_INLINE dev_f16 dev_f32_to_f16(float v) {
    if ((dev_bits(v) & 0x7fffffffu) > 0x7f800000u) return dev_f16{0x7fff};
    return dev_f16{__builtin_bit_cast(uint16_t, (_Float16)v)};
}
DEV_INLINE dev_bf16 dev_f32_to_bf16(float v) {
    const uint32_t bits = dev_bits(v);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return dev_bf16{0x7fff};
    return dev_bf16{(uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
DEV_INLINE float dev_to_f32(dev_f16 v) { return (float)__builtin_bit_cast(_Float16, v.bits); }

/* Block. */
DEV_INLINE void dev_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define dev_shared(type, name, count) __attribute__((shared, aligned(16))) type name[count]
#define dev_shared_dynamic(type, name)                                                             \
    extern __attribute__((shared, aligned(16))) unsigned char dev_dynamic_shared_memory[];         \
    type *const name = reinterpret_cast<type *>(dev_dynamic_shared_memory)

/* Warp. The wave runs in lockstep: masks only document which lanes take part. */
typedef uint64_t dev_mask;
DEV_INLINE dev_mask dev_full_mask() { return ~UINT64_C(0); }
DEV_INLINE void dev_warp_sync(dev_mask) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <typename T>
DEV_INLINE T dev_hip_permute(T v, uint32_t source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "warp operations move 4 or 8 bytes");
    struct words {
        int w[sizeof(T) / 4];
    } both = __builtin_bit_cast(words, v);
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        both.w[i] = __builtin_amdgcn_ds_bpermute((int)(source * 4), both.w[i]);
    return __builtin_bit_cast(T, both);
}
template <typename T>
DEV_INLINE T dev_shfl(dev_mask, T v, uint32_t source) {
    return dev_hip_permute(v, source);
}
template <typename T>
DEV_INLINE T dev_shfl_up(dev_mask, T v, uint32_t delta) {
    const uint32_t lane = dev_lane();
    return dev_hip_permute(v, lane >= delta ? lane - delta : lane);
}
template <typename T>
DEV_INLINE T dev_shfl_down(dev_mask, T v, uint32_t delta) {
    const uint32_t lane = dev_lane();
    return dev_hip_permute(v, lane + delta < 64 ? lane + delta : lane);
}
template <typename T>
DEV_INLINE T dev_shfl_xor(dev_mask, T v, uint32_t lane_mask) {
    const uint32_t source = dev_lane() ^ lane_mask;
    return dev_hip_permute(v, source < 64 ? source : dev_lane());
}
DEV_INLINE dev_mask dev_ballot(dev_mask mask, bool predicate) {
    return __builtin_amdgcn_ballot_w64(predicate) & mask;
}
DEV_INLINE bool dev_any(dev_mask mask, bool predicate) { return dev_ballot(mask, predicate) != 0; }
DEV_INLINE bool dev_all(dev_mask mask, bool predicate) {
    return dev_ballot(mask, predicate) == (__builtin_amdgcn_ballot_w64(true) & mask);
}

/* Memory: one 16-byte access (global_load_dwordx4). */
typedef uint32_t dev_hip_words __attribute__((ext_vector_type(4)));
template <typename T>
DEV_INLINE dev_chunk<T> dev_load_16(const dev_chunk<T> *address) {
    return __builtin_bit_cast(dev_chunk<T>, *reinterpret_cast<const dev_hip_words *>(address));
}
template <typename T>
DEV_INLINE void dev_store_16(dev_chunk<T> *address, const dev_chunk<T> &chunk) {
    *reinterpret_cast<dev_hip_words *>(address) = __builtin_bit_cast(dev_hip_words, chunk);
}

/* Atomics. */
template <typename T>
DEV_INLINE T dev_atomic_add(T *address, T v) {
    return __hip_atomic_fetch_add(address, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T>
DEV_INLINE T dev_atomic_max(T *address, T v) {
    return __hip_atomic_fetch_max(address, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T>
DEV_INLINE T dev_atomic_cas(T *address, T expected, T desired) {
    __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return expected;
}
template <typename T>
DEV_INLINE T dev_atomic_exchange(T *address, T v) {
    return __hip_atomic_exchange(address, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T>
DEV_INLINE T dev_atomic_load(const T *address) {
    return __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T>
DEV_INLINE void dev_atomic_store(T *address, T v) {
    __hip_atomic_store(address, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/* Launch. <<<>>> needs these two names from the runtime; its C header does not declare them. */
extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                 hipStream_t stream);
template <auto KERNEL, typename P>
static inline assay_status dev_launch(const char *name, const assay_geometry *geometry,
                                      const P &params, void *stream) {
    const dim3 grid(geometry->grid[0], geometry->grid[1], geometry->grid[2]);
    const dim3 block(geometry->block[0], geometry->block[1], geometry->block[2]);
    KERNEL<<<grid, block, geometry->shared_bytes, static_cast<hipStream_t>(stream)>>>(params);
    const hipError_t error = hipGetLastError();
    if (error != hipSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "%s: launch failed: %s", name,
                          hipGetErrorString(error));
    return ASSAY_OK;
}

#endif
