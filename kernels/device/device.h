/* The device layer: the one API that kernels are written against.
 *
 * Three back ends supply it: cuda.h (nvcc), hip.h (clang for AMD) and simt.h (the host compiler,
 * for the executor). A kernel file includes this header only, and holds no preprocessor condition,
 * no inline assembly, no <<<>>> and no __shared__.
 *
 * Arithmetic. Plain + - * on float are IEEE and never contracted (each toolchain's flags are proved
 * by kernels/device/flag_probe.cu); fused, divided and rooted values are spelled out:
 *   dev_fma(a,b,c)  dev_div(a,b)  dev_sqrt(a)      round to nearest even, subnormals kept
 *   dev_min(a,b)  dev_max(a,b)                     a NaN operand is ignored, -0 < +0
 *   dev_is_nan(a)  dev_nan()                       the canonical NaN 0x7fffffff
 *   dev_to_f32(v)  dev_from_f32<T>(f)              T: float, dev_f16, dev_bf16; RNE, NaN canonical
 *   dev_f32_to_i32(f)  dev_f32_to_u32(f)           toward zero, saturating, NaN gives 0
 *   dev_shl(v,n)  dev_shr(v,n)                     n >= 32 gives 0
 *   dev_bits(f)  dev_float(bits)                   bit casts
 *
 * Place.    dev_thread_x/y/z() dev_block_x/y/z() dev_block_dim_x/y/z() dev_grid_x/y/z()
 *           dev_warp_size() dev_lane()
 * Block.    dev_barrier()   dev_shared(T, name, count)   dev_shared_dynamic(T, name)
 * Warp.     dev_mask dev_full_mask(); every lane of the mask must call, and the mask names only
 * lanes that exist: dev_warp_sync(m) dev_shfl(m,v,src) dev_shfl_up/down(m,v,delta)
 *           dev_shfl_xor(m,v,lane_mask) dev_ballot(m,p) dev_any(m,p) dev_all(m,p)
 * Memory.   dev_chunk<T>: 16 bytes of T, dev_chunk<T>{} zeros, dev_get(c, j), dev_set(c, j, v).
 *           dev_load_chunk(p) dev_store_chunk(p,c): p 16-byte aligned.
 * Atomics.  dev_atomic_add/max/cas/exchange/load/store, relaxed, device scope; f32 add flushes
 *           nothing here, subnormal results are flushed on NVIDIA: keep clear of them.
 * Matrix.   A whole warp of 32; registers as the PTX ISA has them; not on AMD.
 *           dev_mma_m16n8k16<T>(d,a,b,c) dev_mma_m16n8k8<T>(d,a,b,c): d = a b + c, T dev_bf16 or
 *           dev_f16; float d[4], c[4] (c may be d), uint32_t a[4], b[2] (of k8: a[2], b[1]).
 *           dev_ldmatrix_x4/x2(r,row) dev_ldmatrix_x4/x2_trans(r,row) dev_stmatrix_x4/x2(row,r):
 *           lane 8i + j names row j of matrix i, 16 bytes of shared memory, so aligned.
 * Copies.   dev_cp_async_16/8/4(to,from,valid): global to shared memory, both so aligned; bytes
 *           from `valid` on are zero and not read. dev_cp_async_commit() ends this lane's group,
 *           dev_cp_async_wait<N>() waits for all its groups but the latest N,
 *           dev_cp_async_wait_all() for everything. Other lanes see it after a barrier.
 * Partial   dev_barrier_named(id,lanes) dev_barrier_arrive(id,lanes): id 1 to 15, whole warps; not
 * barriers. on AMD.
 * Loops.    DEV_UNROLL before a loop over register arrays, so that they stay in registers.
 * Launch.   DEV_KERNEL(max_threads), DEV_ENTRY(name), dev_launch<kernel>(geometry, params, stream).
 */
#ifndef ASSAY_DEVICE_H
#define ASSAY_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "assay/kernel.h"

/* Storage formats: bits only, converted by dev_to_f32 and dev_from_f32. */
struct dev_f16 {
    uint16_t bits;
};
struct dev_bf16 {
    uint16_t bits;
};

/* 16 bytes of elements, moved by one access. Kept as words, so that two 16-bit elements share a
 * register; dev_get and dev_set reach them. */
template <typename T>
struct alignas(16) dev_chunk {
    static constexpr int count = 16 / (int)sizeof(T);
    uint32_t words[4];
};

#if defined(ASSAY_DEVICE_SIMT)
#include "device/simt.h"

#include "device/async_simt.h"
#include "device/matrix_simt.h"
#elif defined(ASSAY_DEVICE_CUDA)
#include "device/cuda.h"

#include "device/async_cuda.h"
#include "device/matrix_cuda.h"
#elif defined(ASSAY_DEVICE_HIP)
#include "device/hip.h"

#include "device/async_hip.h"
#include "device/matrix_hip.h"
#else
#error "define ASSAY_DEVICE_SIMT, ASSAY_DEVICE_CUDA or ASSAY_DEVICE_HIP"
#endif

#include "device/common.h"

#endif
