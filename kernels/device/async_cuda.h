/* Asynchronous copies and named barriers on NVIDIA (sm_80 and later). */
#ifndef ASSAY_DEVICE_ASYNC_CUDA_H
#define ASSAY_DEVICE_ASYNC_CUDA_H

/* Addresses of shared memory are 32 bits there. */
DEV_INLINE uint32_t dev_cuda_shared(const void *address) {
    return (uint32_t)__cvta_generic_to_shared(address);
}

/* .cg keeps what is read once out of the first cache; it exists for 16 bytes only. */
DEV_INLINE void dev_cp_async_16(void *to, const void *from, uint32_t valid = 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dev_cuda_shared(to)),
                 "l"(from), "r"(valid)
                 : "memory");
}
DEV_INLINE void dev_cp_async_8(void *to, const void *from, uint32_t valid = 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(dev_cuda_shared(to)),
                 "l"(from), "r"(valid)
                 : "memory");
}
DEV_INLINE void dev_cp_async_4(void *to, const void *from, uint32_t valid = 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(dev_cuda_shared(to)),
                 "l"(from), "r"(valid)
                 : "memory");
}
DEV_INLINE void dev_cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int PENDING>
DEV_INLINE void dev_cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
DEV_INLINE void dev_cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

DEV_INLINE void dev_barrier_named(uint32_t id, uint32_t lanes) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(lanes) : "memory");
}
DEV_INLINE void dev_barrier_arrive(uint32_t id, uint32_t lanes) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(lanes) : "memory");
}

#endif
