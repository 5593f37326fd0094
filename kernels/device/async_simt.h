/* Asynchronous copies and named barriers on the executor. */
#ifndef ASSAY_DEVICE_ASYNC_SIMT_H
#define ASSAY_DEVICE_ASYNC_SIMT_H

#include "assay/simt_async.h"

DEV_INLINE void dev_cp_async_16(void *to, const void *from, uint32_t valid = 16, DEV_HERE) {
    DEV_SITE("dev_cp_async_16");
    assay_simt_cp_async(to, from, 16, valid, &site);
}
DEV_INLINE void dev_cp_async_8(void *to, const void *from, uint32_t valid = 8, DEV_HERE) {
    DEV_SITE("dev_cp_async_8");
    assay_simt_cp_async(to, from, 8, valid, &site);
}
DEV_INLINE void dev_cp_async_4(void *to, const void *from, uint32_t valid = 4, DEV_HERE) {
    DEV_SITE("dev_cp_async_4");
    assay_simt_cp_async(to, from, 4, valid, &site);
}
DEV_INLINE void dev_cp_async_commit() { assay_simt_cp_async_commit(); }
template <int PENDING>
DEV_INLINE void dev_cp_async_wait() {
    assay_simt_cp_async_wait(PENDING);
}
DEV_INLINE void dev_cp_async_wait_all() { assay_simt_cp_async_wait_all(); }

DEV_INLINE void dev_barrier_named(uint32_t id, uint32_t lanes, DEV_HERE) {
    DEV_SITE("dev_barrier_named");
    assay_simt_named_barrier(id, lanes, &site);
}
DEV_INLINE void dev_barrier_arrive(uint32_t id, uint32_t lanes, DEV_HERE) {
    DEV_SITE("dev_barrier_arrive");
    assay_simt_named_arrive(id, lanes, &site);
}

#endif
