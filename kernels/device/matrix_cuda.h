/* Matrix operations on NVIDIA: mma.sync, ldmatrix, stmatrix (sm_80 and later). */
#ifndef ASSAY_DEVICE_MATRIX_CUDA_H
#define ASSAY_DEVICE_MATRIX_CUDA_H

#define DEV_CUDA_MMA(shape, type)                                                                  \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 "                   \
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                       \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),    \
                   "f"(c[1]), "f"(c[2]), "f"(c[3]))
#define DEV_CUDA_MMA_HALF(shape, type)                                                             \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 "                   \
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                   \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]))

DEV_INLINE void dev_cuda_mma_k16(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                 const dev_bf16 *) {
    DEV_CUDA_MMA("m16n8k16", "bf16");
}
DEV_INLINE void dev_cuda_mma_k16(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                 const dev_f16 *) {
    DEV_CUDA_MMA("m16n8k16", "f16");
}
DEV_INLINE void dev_cuda_mma_k8(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                const dev_bf16 *) {
    DEV_CUDA_MMA_HALF("m16n8k8", "bf16");
}
DEV_INLINE void dev_cuda_mma_k8(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                const dev_f16 *) {
    DEV_CUDA_MMA_HALF("m16n8k8", "f16");
}
#undef DEV_CUDA_MMA
#undef DEV_CUDA_MMA_HALF

template <typename T>
DEV_INLINE void dev_mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, const float *c) {
    dev_cuda_mma_k16(d, a, b, c, static_cast<const T *>(nullptr));
}
template <typename T>
DEV_INLINE void dev_mma_m16n8k8(float *d, const uint32_t *a, const uint32_t *b, const float *c) {
    dev_cuda_mma_k8(d, a, b, c, static_cast<const T *>(nullptr));
}

DEV_INLINE void dev_ldmatrix_x4(uint32_t *r, const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(dev_cuda_shared(row))
                 : "memory");
}
DEV_INLINE void dev_ldmatrix_x2(uint32_t *r, const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(dev_cuda_shared(row))
                 : "memory");
}
DEV_INLINE void dev_ldmatrix_x4_trans(uint32_t *r, const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(dev_cuda_shared(row))
                 : "memory");
}
DEV_INLINE void dev_ldmatrix_x2_trans(uint32_t *r, const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(dev_cuda_shared(row))
                 : "memory");
}

/* stmatrix came with sm_90; before it each lane stores its pairs, the rows' addresses shuffled. */
template <int COUNT>
DEV_INLINE void dev_cuda_store_rows(void *row, const uint32_t *r) {
    const uint32_t mine = dev_cuda_shared(row), lane = dev_lane();
    DEV_UNROLL
    for (int i = 0; i < COUNT; i++) {
        const uint32_t to = dev_shfl(dev_full_mask(), mine, 8 * i + lane / 4) + 4 * (lane % 4);
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(r[i]) : "memory");
    }
    dev_warp_sync(dev_full_mask());
}
DEV_INLINE void dev_stmatrix_x4(void *row, const uint32_t *r) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(dev_cuda_shared(row)),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
#else
    dev_cuda_store_rows<4>(row, r);
#endif
}
DEV_INLINE void dev_stmatrix_x2(void *row, const uint32_t *r) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(dev_cuda_shared(row)),
        "r"(r[0]), "r"(r[1])
        : "memory");
#else
    dev_cuda_store_rows<2>(row, r);
#endif
}

#endif
