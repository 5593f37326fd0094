/* Kernels that use each function of the device layer once, with results that a host can predict. */
#include "device/device.h"
#include "unit/device_layer.h"

/* Ten words a thread: thread and block coordinates, dimensions, lane and warp size. */
DEV_KERNEL(1024)
place_kernel(const device_layer_params p) {
    const uint32_t thread =
        dev_thread_x() + dev_block_dim_x() * (dev_thread_y() + dev_block_dim_y() * dev_thread_z());
    const uint32_t block =
        dev_block_x() + dev_grid_x() * (dev_block_y() + dev_grid_y() * dev_block_z());
    const uint32_t threads = dev_block_dim_x() * dev_block_dim_y() * dev_block_dim_z();
    uint32_t *const out = p.out + 4 * (block * threads + thread);
    out[0] = thread;
    out[1] = block + 1000 * dev_grid_z();
    out[2] = dev_lane();
    out[3] = dev_warp_size();
}

DEV_KERNEL(1024)
warp_kernel(const device_layer_params p) {
    const dev_mask all = dev_full_mask();
    const uint32_t lane = dev_lane();
    uint32_t *const out = p.out + 8 * dev_thread_x();
    out[0] = dev_shfl(all, lane * 3, 5);
    out[1] = dev_shfl_up(all, lane, 2);
    out[2] = dev_shfl_down(all, lane, 3);
    out[3] = (uint32_t)dev_shfl_xor(all, (float)lane, 1);
    out[4] = (uint32_t)(dev_ballot(all, lane % 3 == 0) & 0xffffffffu);
    out[5] = dev_any(all, lane == 7) ? 1 : 0;
    out[6] = dev_all(all, lane < dev_warp_size()) ? 1 : 0;
    dev_warp_sync(all);
    /* The two halves of the low 32 lanes, each under its own mask. */
    if (lane < 16)
        out[7] = dev_shfl((dev_mask)0xffffu, lane, 3);
    else if (lane < 32)
        out[7] = dev_shfl((dev_mask)0xffff0000u, lane, 20);
}

DEV_KERNEL(1024)
shared_kernel(const device_layer_params p) {
    dev_shared(uint32_t, fixed, 256);
    dev_shared_dynamic(uint32_t, dynamic);
    const uint32_t t = dev_thread_x(), n = dev_block_dim_x();
    fixed[t] = 7 * t;
    dynamic[t] = 11 * t;
    dev_barrier();
    p.out[dev_block_x() * n + t] = fixed[n - 1 - t] + dynamic[(t + 1) % n];
}

DEV_KERNEL(1024)
atomics_kernel(const device_layer_params p) {
    dev_atomic_add(&p.out[0], 1u);
    dev_atomic_max(&p.out[1], dev_block_x() * dev_block_dim_x() + dev_thread_x());
    dev_atomic_add(&p.values[0], 0.5f);
    dev_atomic_add(&p.wide[0], UINT64_C(1) << 33);
    if (dev_atomic_cas(&p.out[2], 0u, 1u) == 0u) dev_atomic_add(&p.out[3], 1u); /* one winner */
    if (dev_atomic_exchange(&p.out[4], 1u) == 0u) dev_atomic_add(&p.out[5], 1u);
    dev_atomic_store(&p.out[6], dev_atomic_load(&p.out[7]));
}

DEV_KERNEL(1024)
chunks_kernel(const device_layer_params p) {
    const dev_f16 *const in = reinterpret_cast<const dev_f16 *>(p.halves);
    const dev_chunk<dev_f16> chunk = dev_load_chunk(in + 8 * dev_thread_x());
    dev_chunk<float> low = {}, high = {};
    for (uint32_t j = 0; j < 4; j++) {
        dev_set(low, j, dev_to_f32(dev_get(chunk, j)));
        dev_set(high, j, dev_to_f32(dev_get(chunk, j + 4)));
    }
    dev_store_chunk(p.values + 8 * dev_thread_x(), low);
    dev_store_chunk(p.values + 8 * dev_thread_x() + 4, high);
    dev_chunk<dev_bf16> packed = {};
    for (uint32_t j = 0; j < 8; j++) dev_set(packed, j, dev_from_f32<dev_bf16>((float)(j + 1)));
    for (uint32_t j = 0; j < 8; j++) p.out[8 * dev_thread_x() + j] = dev_get(packed, j).bits;
}

DEV_KERNEL(1024)
shifts_kernel(const device_layer_params p) {
    const uint32_t n = dev_thread_x();
    p.out[2 * n] = dev_shl(0x80000001u, n);
    p.out[2 * n + 1] = dev_shr(0x80000001u, n);
}

template <typename T>
DEV_KERNEL(1024)
misaligned_load_kernel(const device_layer_params p) {
    const T *const in = reinterpret_cast<const T *>(p.values);
    dev_store_chunk(reinterpret_cast<T *>(p.out), dev_load_chunk(in + 1));
}
template <typename T>
DEV_KERNEL(1024)
misaligned_store_kernel(const device_layer_params p) {
    dev_store_chunk(reinterpret_cast<T *>(p.values) + 1, dev_chunk<T>{});
}

DEV_ENTRY(device_layer) {
    const device_layer_params &p = *static_cast<const device_layer_params *>(params);
    switch (instance) {
    case DEVICE_LAYER_PLACE: return dev_launch<place_kernel>("place", geometry, p, stream);
    case DEVICE_LAYER_WARP: return dev_launch<warp_kernel>("warp", geometry, p, stream);
    case DEVICE_LAYER_SHARED: return dev_launch<shared_kernel>("shared", geometry, p, stream);
    case DEVICE_LAYER_ATOMICS: return dev_launch<atomics_kernel>("atomics", geometry, p, stream);
    case DEVICE_LAYER_CHUNKS: return dev_launch<chunks_kernel>("chunks", geometry, p, stream);
    case DEVICE_LAYER_SHIFTS: return dev_launch<shifts_kernel>("shifts", geometry, p, stream);
    case DEVICE_LAYER_MISALIGNED_LOAD:
        return dev_launch<misaligned_load_kernel<float>>("misaligned load", geometry, p, stream);
    case DEVICE_LAYER_MISALIGNED_LOAD_F16:
        return dev_launch<misaligned_load_kernel<dev_f16>>("misaligned load", geometry, p, stream);
    case DEVICE_LAYER_MISALIGNED_LOAD_BF16:
        return dev_launch<misaligned_load_kernel<dev_bf16>>("misaligned load", geometry, p, stream);
    case DEVICE_LAYER_MISALIGNED_STORE:
        return dev_launch<misaligned_store_kernel<float>>("misaligned store", geometry, p, stream);
    case DEVICE_LAYER_MISALIGNED_STORE_F16:
        return dev_launch<misaligned_store_kernel<dev_f16>>("misaligned store", geometry, p,
                                                            stream);
    default:
        return dev_launch<misaligned_store_kernel<dev_bf16>>("misaligned store", geometry, p,
                                                             stream);
    }
}
