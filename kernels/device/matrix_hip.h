/* Matrix operations on AMD: none of these. mma.sync and ldmatrix spread a tile over 32 lanes; AMD's
 * instructions spread theirs over 64 in another way, so a kernel for one is no kernel for the
 * other. A kernel that uses them lists no gfx chip in its instance table and is not compiled for
 * HIP.
 */
#ifndef ASSAY_DEVICE_MATRIX_HIP_H
#define ASSAY_DEVICE_MATRIX_HIP_H

template <typename T>
struct dev_hip_never {
    static constexpr bool value = false;
};

template <typename T>
DEV_INLINE void dev_mma_m16n8k16(float *, const uint32_t *, const uint32_t *, const float *) {
    static_assert(dev_hip_never<T>::value, "dev_mma_m16n8k16 is not on AMD");
}
template <typename T>
DEV_INLINE void dev_mma_m16n8k8(float *, const uint32_t *, const uint32_t *, const float *) {
    static_assert(dev_hip_never<T>::value, "dev_mma_m16n8k8 is not on AMD");
}

#endif
