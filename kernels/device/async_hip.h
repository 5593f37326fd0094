/* Asynchronous copies on AMD: a load and a store at once, so that every wait is already over. Named
 * barriers are not offered: these chips have one barrier a block.
 */
#ifndef ASSAY_DEVICE_ASYNC_HIP_H
#define ASSAY_DEVICE_ASYNC_HIP_H

template <int WORDS>
DEV_INLINE void dev_hip_copy(void *to, const void *from, uint32_t valid) {
    const unsigned char *const bytes = static_cast<const unsigned char *>(from);
    typedef uint32_t words __attribute__((ext_vector_type(WORDS)));
    words v = 0;
    if (valid == 4 * WORDS) {
        v = *static_cast<const words *>(from);
    } else {
        for (uint32_t i = 0; i < valid; i++) v[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
    }
    *static_cast<words *>(to) = v;
}
DEV_INLINE void dev_cp_async_16(void *to, const void *from, uint32_t valid = 16) {
    dev_hip_copy<4>(to, from, valid);
}
DEV_INLINE void dev_cp_async_8(void *to, const void *from, uint32_t valid = 8) {
    dev_hip_copy<2>(to, from, valid);
}
DEV_INLINE void dev_cp_async_4(void *to, const void *from, uint32_t valid = 4) {
    dev_hip_copy<1>(to, from, valid);
}
DEV_INLINE void dev_cp_async_commit() {}
template <int PENDING>
DEV_INLINE void dev_cp_async_wait() {}
DEV_INLINE void dev_cp_async_wait_all() {}

#endif
