/* Device layer on the executor: the one door from kernels/ to it, through assay/simt.h. */
#ifndef ASSAY_DEVICE_SIMT_H
#define ASSAY_DEVICE_SIMT_H

#include <immintrin.h>

#include "assay/simt.h"

#define DEV_INLINE static inline __attribute__((always_inline))
#define DEV_KERNEL(max_threads) static void
#define DEV_UNROLL /* the host compiler may do as it likes: order of evaluation is fixed */

/* A kernel file is compiled twice: as it is, and instrumented (ASSAY_DEVICE_CHECKED), for executors
 * that look at every access. The first object's entry hands over to the second's, where there is
 * one (ASSAY_DEVICE_TWIN), when the executor is of that kind. */
#if defined(ASSAY_DEVICE_CHECKED)
#define DEV_ENTRY(name)                                                                            \
    extern "C" assay_status assay_##name##_checked(int instance, const assay_geometry *geometry,   \
                                                   const void *params, void *stream)
#else
#if defined(ASSAY_DEVICE_TWIN)
#define DEV_CHECKED_ENTRY(name) assay_##name##_checked
#else
#define DEV_CHECKED_ENTRY(name) dev_no_checked_entry
#endif
#define DEV_ENTRY(name)                                                                            \
    extern "C" assay_kernel_entry assay_##name##_checked;                                          \
    static assay_kernel_entry dev_entry_##name;                                                    \
    extern "C" assay_status assay_##name##_simt(int instance, const assay_geometry *geometry,      \
                                                const void *params, void *stream) {                \
        const bool checked = assay_simt_is_checked(static_cast<const assay_simt *>(stream));       \
        return (checked ? DEV_CHECKED_ENTRY(name) : dev_entry_##name)(instance, geometry, params,  \
                                                                      stream);                     \
    }                                                                                              \
    static assay_status dev_entry_##name(int instance, const assay_geometry *geometry,             \
                                         const void *params, void *stream)
static inline assay_status dev_no_checked_entry(int, const assay_geometry *, const void *, void *) {
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "this build holds no checked object of the kernel");
}
#endif

/* Trailing arguments that callers leave out: where the call stands. */
#define DEV_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define DEV_SITE(operation) const assay_simt_site site = {operation, file, line}
#define DEV_CALLER , DEV_HERE
#define DEV_CALLER_PASS , file, line

/* Place. */
DEV_INLINE uint32_t dev_thread_x() { return assay_simt_self->thread_idx[0]; }
DEV_INLINE uint32_t dev_thread_y() { return assay_simt_self->thread_idx[1]; }
DEV_INLINE uint32_t dev_thread_z() { return assay_simt_self->thread_idx[2]; }
DEV_INLINE uint32_t dev_block_x() { return assay_simt_self->block_idx[0]; }
DEV_INLINE uint32_t dev_block_y() { return assay_simt_self->block_idx[1]; }
DEV_INLINE uint32_t dev_block_z() { return assay_simt_self->block_idx[2]; }
DEV_INLINE uint32_t dev_block_dim_x() { return assay_simt_self->block_dim[0]; }
DEV_INLINE uint32_t dev_block_dim_y() { return assay_simt_self->block_dim[1]; }
DEV_INLINE uint32_t dev_block_dim_z() { return assay_simt_self->block_dim[2]; }
DEV_INLINE uint32_t dev_grid_x() { return assay_simt_self->grid_dim[0]; }
DEV_INLINE uint32_t dev_grid_y() { return assay_simt_self->grid_dim[1]; }
DEV_INLINE uint32_t dev_grid_z() { return assay_simt_self->grid_dim[2]; }
DEV_INLINE uint32_t dev_warp_size() { return assay_simt_self->warp_size; }
DEV_INLINE uint32_t dev_lane() { return assay_simt_self->lane; }

/* Bits and arithmetic. */
DEV_INLINE uint32_t dev_bits(float v) {
    uint32_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
}
DEV_INLINE float dev_float(uint32_t bits) {
    float v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
DEV_INLINE float dev_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEV_INLINE float dev_div(float a, float b) { return a / b; }
DEV_INLINE float dev_sqrt(float v) { return __builtin_sqrtf(v); }

/* Conversions. F16C rounds to nearest even and keeps subnormals, whatever MXCSR says of them, when
 * the rounding is given in the instruction; only its NaN differs from the chips'. */
DEV_INLINE dev_f16 dev_f32_to_f16(float v) {
    const uint32_t magnitude = dev_bits(v) & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return dev_f16{0x7fff};
    return dev_f16{_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
DEV_INLINE dev_bf16 dev_f32_to_bf16(float v) {
    const uint32_t bits = dev_bits(v);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return dev_bf16{0x7fff};
    return dev_bf16{(uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
DEV_INLINE float dev_to_f32(dev_f16 v) { return _cvtsh_ss(v.bits); }

/* Block. */
DEV_INLINE void dev_barrier(DEV_HERE) {
    DEV_SITE("dev_barrier");
    assay_simt_barrier(&site);
}
#define dev_shared(type, name, count)                                                              \
    const assay_simt_site name##_site = {"dev_shared", __FILE__, __LINE__};                        \
    type *const name =                                                                             \
        static_cast<type *>(assay_simt_shared(#name, sizeof(type) * (count), 16, &name##_site))
#define dev_shared_dynamic(type, name)                                                             \
    const assay_simt_site name##_site = {"dev_shared_dynamic", __FILE__, __LINE__};                \
    type *const name = static_cast<type *>(assay_simt_shared_dynamic(&name##_site))

/* Warp. 32-bit values travel as bits. */
typedef uint64_t dev_mask;
DEV_INLINE dev_mask dev_full_mask() {
    return assay_simt_self->warp_size == 64 ? ~UINT64_C(0) : UINT64_C(0xffffffff);
}
template <typename T>
DEV_INLINE uint64_t dev_simt_pack(T v) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "warp operations move 4 or 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <typename T>
DEV_INLINE T dev_simt_unpack(uint64_t bits) {
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
DEV_INLINE void dev_warp_sync(dev_mask mask, DEV_HERE) {
    DEV_SITE("dev_warp_sync");
    assay_simt_warp(ASSAY_SIMT_SYNC, mask, 0, 0, assay_simt_self->warp_size, &site);
}
template <typename T>
DEV_INLINE T dev_shfl(dev_mask mask, T v, uint32_t source, DEV_HERE) {
    DEV_SITE("dev_shfl");
    return dev_simt_unpack<T>(assay_simt_warp(ASSAY_SIMT_SHFL, mask, dev_simt_pack(v), source,
                                              assay_simt_self->warp_size, &site));
}
template <typename T>
DEV_INLINE T dev_shfl_up(dev_mask mask, T v, uint32_t delta, DEV_HERE) {
    DEV_SITE("dev_shfl_up");
    return dev_simt_unpack<T>(assay_simt_warp(ASSAY_SIMT_SHFL_UP, mask, dev_simt_pack(v), delta,
                                              assay_simt_self->warp_size, &site));
}
template <typename T>
DEV_INLINE T dev_shfl_down(dev_mask mask, T v, uint32_t delta, DEV_HERE) {
    DEV_SITE("dev_shfl_down");
    return dev_simt_unpack<T>(assay_simt_warp(ASSAY_SIMT_SHFL_DOWN, mask, dev_simt_pack(v), delta,
                                              assay_simt_self->warp_size, &site));
}
template <typename T>
DEV_INLINE T dev_shfl_xor(dev_mask mask, T v, uint32_t lane_mask, DEV_HERE) {
    DEV_SITE("dev_shfl_xor");
    return dev_simt_unpack<T>(assay_simt_warp(ASSAY_SIMT_SHFL_XOR, mask, dev_simt_pack(v),
                                              lane_mask, assay_simt_self->warp_size, &site));
}
DEV_INLINE dev_mask dev_ballot(dev_mask mask, bool predicate, DEV_HERE) {
    DEV_SITE("dev_ballot");
    return assay_simt_warp(ASSAY_SIMT_BALLOT, mask, predicate, 0, assay_simt_self->warp_size,
                           &site);
}
DEV_INLINE bool dev_any(dev_mask mask, bool predicate, DEV_HERE) {
    DEV_SITE("dev_any");
    return assay_simt_warp(ASSAY_SIMT_ANY, mask, predicate, 0, assay_simt_self->warp_size, &site);
}
DEV_INLINE bool dev_all(dev_mask mask, bool predicate, DEV_HERE) {
    DEV_SITE("dev_all");
    return assay_simt_warp(ASSAY_SIMT_ALL, mask, predicate, 0, assay_simt_self->warp_size, &site);
}

#if defined(ASSAY_DEVICE_CHECKED)
/* Memory and atomics: the executor looks at these itself, at the kernel's own line. */
template <typename T>
DEV_INLINE dev_chunk<T> dev_load_16(const dev_chunk<T> *address, DEV_HERE) {
    return __builtin_bit_cast(dev_chunk<T>,
                              assay_simt_load_16(address, "dev_load_chunk", file, line));
}
template <typename T>
DEV_INLINE void dev_store_16(dev_chunk<T> *address, const dev_chunk<T> &chunk, DEV_HERE) {
    assay_simt_store_16(address, __builtin_bit_cast(assay_simt_16, chunk), "dev_store_chunk", file,
                        line);
}
template <typename T>
DEV_INLINE void dev_simt_atomic(assay_simt_atomic kind, const T *address,
                                const assay_simt_site *site) {
    assay_simt_atomic_point(site);
    assay_simt_atomic_access(kind, address, sizeof *address, site);
}
#else
/* Memory. A chip faults on a misaligned 16-byte access; so does this. */
template <typename T>
DEV_INLINE dev_chunk<T> dev_load_16(const dev_chunk<T> *address, DEV_HERE) {
    if ((uintptr_t)address % 16 != 0) {
        DEV_SITE("dev_load_chunk");
        assay_simt_trap("misaligned 16-byte load", &site);
    }
    return *address;
}
template <typename T>
DEV_INLINE void dev_store_16(dev_chunk<T> *address, const dev_chunk<T> &chunk, DEV_HERE) {
    if ((uintptr_t)address % 16 != 0) {
        DEV_SITE("dev_store_chunk");
        assay_simt_trap("misaligned 16-byte store", &site);
    }
    *address = chunk;
}
template <typename T>
DEV_INLINE void dev_simt_atomic(assay_simt_atomic, const T *, const assay_simt_site *site) {
    assay_simt_atomic_point(site);
}
#endif

/* Atomics: integers of 4 and 8 bytes by the host's own, float by compare and swap. */
template <typename T>
DEV_INLINE T dev_atomic_add(T *address, T v, DEV_HERE) {
    DEV_SITE("dev_atomic_add");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_UPDATE, address, &site);
    return __atomic_fetch_add(address, v, __ATOMIC_RELAXED);
}
DEV_INLINE float dev_atomic_add(float *address, float v, DEV_HERE) {
    DEV_SITE("dev_atomic_add");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_UPDATE, address, &site);
    uint32_t *const bits = reinterpret_cast<uint32_t *>(address);
    uint32_t seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &seen, dev_bits(dev_float(seen) + v), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return dev_float(seen);
}
template <typename T>
DEV_INLINE T dev_atomic_max(T *address, T v, DEV_HERE) {
    DEV_SITE("dev_atomic_max");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_UPDATE, address, &site);
    T seen = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (seen < v && !__atomic_compare_exchange_n(address, &seen, v, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
    }
    return seen;
}
template <typename T>
DEV_INLINE T dev_atomic_cas(T *address, T expected, T desired, DEV_HERE) {
    DEV_SITE("dev_atomic_cas");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_UPDATE, address, &site);
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;
}
template <typename T>
DEV_INLINE T dev_atomic_exchange(T *address, T v, DEV_HERE) {
    DEV_SITE("dev_atomic_exchange");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_UPDATE, address, &site);
    return __atomic_exchange_n(address, v, __ATOMIC_RELAXED);
}
template <typename T>
DEV_INLINE T dev_atomic_load(const T *address, DEV_HERE) {
    DEV_SITE("dev_atomic_load");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_LOAD, address, &site);
    return __atomic_load_n(address, __ATOMIC_RELAXED);
}
template <typename T>
DEV_INLINE void dev_atomic_store(T *address, T v, DEV_HERE) {
    DEV_SITE("dev_atomic_store");
    dev_simt_atomic(ASSAY_SIMT_ATOMIC_STORE, address, &site);
    __atomic_store_n(address, v, __ATOMIC_RELAXED);
}

/* Launch. The stream of this back end is the executor. */
template <auto KERNEL, typename P>
static void dev_simt_call(const void *params) {
    KERNEL(*static_cast<const P *>(params));
}
template <auto KERNEL, typename P>
static inline assay_status dev_launch(const char *name, const assay_geometry *geometry,
                                      const P &params, void *stream) {
    const assay_simt_launch launch = {name, dev_simt_call<KERNEL, P>, &params, *geometry};
    return assay_simt_run(static_cast<assay_simt *>(stream), &launch);
}

#endif
