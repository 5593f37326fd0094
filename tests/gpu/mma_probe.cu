// Runs the matrix instructions of mma_probe.h on an sm_90a device. Every lane makes its own
// registers from the counter; the fragment layouts are those of the PTX ISA, written out here and
// not taken from reference/mma, which is judged.
#include "mma_probe.h"

#include <cuda_runtime.h>

namespace mma_probe {

template <int M, int K, assay_mma_type A, assay_mma_type B, assay_mma_type D>
struct shape {
    static constexpr int m = M, k = K;
    static constexpr assay_mma_type a = A, b = B, d = D;
    static constexpr bool half = D == ASSAY_MMA_F16;
    static constexpr int bytes = A == ASSAY_MMA_TF32                           ? 4
                                 : (A == ASSAY_MMA_F16 || A == ASSAY_MMA_BF16) ? 2
                                                                               : 1;
};
template <int FAMILY>
struct family;
#define FAMILY(ID, KIND, M, K, A, B, D, TAIL)                                                      \
    template <>                                                                                    \
    struct family<MMA_PROBE_##ID> : shape<M, K, ASSAY_MMA_##A, ASSAY_MMA_##B, ASSAY_MMA_##D> {};
MMA_PROBE_FAMILIES(FAMILY)
#undef FAMILY

/* d0..d3 (or two registers of halves) = instruction(a, b, c). */
template <int FAMILY>
__device__ void issue(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]);

#define WIDE_F32(TAIL)                                                                             \
    asm volatile("mma.sync.aligned." TAIL " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"    \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define SHORT_F32(TAIL)                                                                            \
    asm volatile("mma.sync.aligned." TAIL " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"             \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define WIDE_F16(TAIL)                                                                             \
    asm volatile("mma.sync.aligned." TAIL " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"                \
                 : "+r"(d[0]), "+r"(d[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define SHORT_F16(TAIL)                                                                            \
    asm volatile("mma.sync.aligned." TAIL " {%0,%1},{%2,%3},{%4},{%0,%1};"                         \
                 : "+r"(d[0]), "+r"(d[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define ISSUE(ID, FORM, TAIL)                                                                      \
    template <>                                                                                    \
    __device__ void issue<MMA_PROBE_##ID>(uint32_t(&d)[4], const uint32_t(&a)[4],                  \
                                          const uint32_t(&b)[2]) {                                 \
        FORM(TAIL);                                                                                \
    }
ISSUE(BF16_K16, WIDE_F32, "m16n8k16.row.col.f32.bf16.bf16.f32")
ISSUE(F16_K16, WIDE_F32, "m16n8k16.row.col.f32.f16.f16.f32")
ISSUE(F16_K16_F16, WIDE_F16, "m16n8k16.row.col.f16.f16.f16.f16")
ISSUE(TF32_K8, WIDE_F32, "m16n8k8.row.col.f32.tf32.tf32.f32")
ISSUE(BF16_K8, SHORT_F32, "m16n8k8.row.col.f32.bf16.bf16.f32")
ISSUE(F16_K8, SHORT_F32, "m16n8k8.row.col.f32.f16.f16.f32")
ISSUE(F16_K8_F16, SHORT_F16, "m16n8k8.row.col.f16.f16.f16.f16")
ISSUE(TF32_K4, SHORT_F32, "m16n8k4.row.col.f32.tf32.tf32.f32")
ISSUE(E4_E4_K32, WIDE_F32, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
ISSUE(E4_E5_K32, WIDE_F32, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
ISSUE(E5_E4_K32, WIDE_F32, "m16n8k32.row.col.f32.e5m2.e4m3.f32")
ISSUE(E5_E5_K32, WIDE_F32, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
ISSUE(E4_E4_K16, SHORT_F32, "m16n8k16.row.col.f32.e4m3.e4m3.f32")
ISSUE(E4_E5_K16, SHORT_F32, "m16n8k16.row.col.f32.e4m3.e5m2.f32")
ISSUE(E5_E4_K16, SHORT_F32, "m16n8k16.row.col.f32.e5m2.e4m3.f32")
ISSUE(E5_E5_K16, SHORT_F32, "m16n8k16.row.col.f32.e5m2.e5m2.f32")
ISSUE(E4_E4_K32_F16, WIDE_F16, "m16n8k32.row.col.f16.e4m3.e4m3.f16")
ISSUE(E4_E5_K32_F16, WIDE_F16, "m16n8k32.row.col.f16.e4m3.e5m2.f16")
ISSUE(E5_E4_K32_F16, WIDE_F16, "m16n8k32.row.col.f16.e5m2.e4m3.f16")
ISSUE(E5_E5_K32_F16, WIDE_F16, "m16n8k32.row.col.f16.e5m2.e5m2.f16")
ISSUE(E4_E4_K16_F16, SHORT_F16, "m16n8k16.row.col.f16.e4m3.e4m3.f16")
ISSUE(E4_E5_K16_F16, SHORT_F16, "m16n8k16.row.col.f16.e4m3.e5m2.f16")
ISSUE(E5_E4_K16_F16, SHORT_F16, "m16n8k16.row.col.f16.e5m2.e4m3.f16")
ISSUE(E5_E5_K16_F16, SHORT_F16, "m16n8k16.row.col.f16.e5m2.e5m2.f16")
ISSUE(S8_S8, WIDE_F32, "m16n8k32.row.col.s32.s8.s8.s32")
ISSUE(S8_U8, WIDE_F32, "m16n8k32.row.col.s32.s8.u8.s32")
ISSUE(U8_S8, WIDE_F32, "m16n8k32.row.col.s32.u8.s8.s32")
ISSUE(U8_U8, WIDE_F32, "m16n8k32.row.col.s32.u8.u8.s32")

/* Four bytes of a row of a (or column of b): elements index, index + 1, ... */
template <int FAMILY>
__device__ uint32_t pack(int mode, uint64_t tile, int matrix, int index, assay_mma_type type) {
    constexpr int bytes = family<FAMILY>::bytes;
    uint32_t word = 0;
    for (int h = 0; h < 4 / bytes; h++)
        word |= (uint32_t)mma_probe_element(FAMILY, mode, tile, matrix, index + h, type)
                << (8 * bytes * h);
    return word;
}

template <int FAMILY>
__global__ void sync_kernel(int mode, uint64_t first, uint32_t tiles, uint32_t *out) {
    using f = family<FAMILY>;
    constexpr int row_bytes = f::k * f::bytes, per_word = 4 / f::bytes;
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const int steps = mma_probe_steps(mode), total = steps * f::k;
    const uint32_t warps = gridDim.x * blockDim.x / 32;
    for (uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < tiles; i += warps) {
        const uint64_t tile = first + i;
        uint32_t value[4], d[4] = {0, 0, 0, 0};
        for (int j = 0; j < 4; j++)
            value[j] = (uint32_t)mma_probe_element(FAMILY, mode, tile, 2,
                                                   (g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1), f::d);
        if (f::half) {
            d[0] = value[0] | value[1] << 16;
            d[1] = value[2] | value[3] << 16;
        } else {
            for (int j = 0; j < 4; j++) d[j] = value[j];
        }
        for (int s = 0; s < steps; s++) {
            uint32_t a[4] = {0, 0, 0, 0}, b[2] = {0, 0};
            for (int r = 0; r < row_bytes / 8; r++)
                a[r] = pack<FAMILY>(
                    mode, tile, 0,
                    (g + 8 * (r & 1)) * total + s * f::k + (t + 4 * (r >> 1)) * per_word, f::a);
            for (int r = 0; r < row_bytes / 16; r++)
                b[r] = pack<FAMILY>(mode, tile, 1, g * total + s * f::k + (t + 4 * r) * per_word,
                                    f::b);
            issue<FAMILY>(d, a, b);
        }
        uint32_t *o = out + (size_t)i * f::m * 8;
        for (int j = 0; j < 4; j++) {
            const uint32_t v = f::half ? d[j >> 1] >> 16 * (j & 1) & 0xffff : d[j];
            o[(g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1)] = v;
        }
    }
}

template <int FAMILY>
__device__ void issue_double(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
    using f = family<FAMILY>;
    if constexpr (f::m == 8)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(a[0]), "d"(b[0]));
    else if constexpr (f::k == 4)
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                     "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    else if constexpr (f::k == 8)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
                     "{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                       "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

template <int FAMILY>
__global__ void double_kernel(int mode, uint64_t first, uint32_t tiles, uint64_t *out) {
    using f = family<FAMILY>;
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const int steps = mma_probe_steps(mode), total = steps * f::k;
    const uint32_t warps = gridDim.x * blockDim.x / 32;
    for (uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < tiles; i += warps) {
        const uint64_t tile = first + i;
        auto element = [&](int matrix, int index) {
            return __longlong_as_double(
                (long long)mma_probe_element(FAMILY, mode, tile, matrix, index, ASSAY_MMA_F64));
        };
        double d[4], a[8], b[4];
        for (int j = 0; j < 4; j++) d[j] = element(2, (g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1));
        for (int s = 0; s < steps; s++) {
            for (int r = 0; r < f::k * f::m / 32; r++) {
                const int row = f::m == 8 ? g : g + 8 * (r & 1), q = f::m == 8 ? r : r >> 1;
                a[r] = element(0, row * total + s * f::k + t + 4 * q);
            }
            for (int r = 0; r < f::k / 4; r++) b[r] = element(1, g * total + s * f::k + t + 4 * r);
            issue_double<FAMILY>(d, a, b);
        }
        for (int j = 0; j < f::m / 4; j++)
            out[(size_t)i * f::m * 8 + (g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1)] =
                (uint64_t)__double_as_longlong(d[j]);
    }
}

/* wgmma, both operands in shared memory: core matrices of 8 rows of 16 bytes, 128 bytes apart along
 * k and 256 along the rows. */
__device__ uint64_t descriptor(const void *shared) {
    const uint64_t address = __cvta_generic_to_shared(shared);
    return (address & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

template <int FAMILY>
__device__ void issue_group(uint32_t (&d)[4], uint64_t a, uint64_t b);
#define GROUP_F32(TAIL, TRANSPOSES)                                                                \
    asm volatile("{.reg .pred p; setp.eq.b32 p,1,1; wgmma.mma_async.sync.aligned." TAIL            \
                 " {%0,%1,%2,%3},%4,%5,p,1,1" TRANSPOSES ";}"                                      \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                  \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")
#define GROUP_F16(TAIL, TRANSPOSES)                                                                \
    asm volatile("{.reg .pred p; setp.eq.b32 p,1,1; wgmma.mma_async.sync.aligned." TAIL            \
                 " {%0,%1},%2,%3,p,1,1" TRANSPOSES ";}"                                            \
                 : "+r"(d[0]), "+r"(d[1])                                                          \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")
#define ISSUE_GROUP(ID, FORM, TAIL, TRANSPOSES)                                                    \
    template <>                                                                                    \
    __device__ void issue_group<MMA_PROBE_##ID>(uint32_t(&d)[4], uint64_t a, uint64_t b) {         \
        FORM(TAIL, TRANSPOSES);                                                                    \
    }
ISSUE_GROUP(W_BF16, GROUP_F32, "m64n8k16.f32.bf16.bf16", ",0,0")
ISSUE_GROUP(W_F16, GROUP_F32, "m64n8k16.f32.f16.f16", ",0,0")
ISSUE_GROUP(W_F16_F16, GROUP_F16, "m64n8k16.f16.f16.f16", ",0,0")
ISSUE_GROUP(W_TF32, GROUP_F32, "m64n8k8.f32.tf32.tf32", "")
ISSUE_GROUP(W_E4_E4, GROUP_F32, "m64n8k32.f32.e4m3.e4m3", "")
ISSUE_GROUP(W_E4_E5, GROUP_F32, "m64n8k32.f32.e4m3.e5m2", "")
ISSUE_GROUP(W_E5_E4, GROUP_F32, "m64n8k32.f32.e5m2.e4m3", "")
ISSUE_GROUP(W_E5_E5, GROUP_F32, "m64n8k32.f32.e5m2.e5m2", "")
ISSUE_GROUP(W_E4_E4_F16, GROUP_F16, "m64n8k32.f16.e4m3.e4m3", "")
ISSUE_GROUP(W_E4_E5_F16, GROUP_F16, "m64n8k32.f16.e4m3.e5m2", "")
ISSUE_GROUP(W_E5_E4_F16, GROUP_F16, "m64n8k32.f16.e5m2.e4m3", "")
ISSUE_GROUP(W_E5_E5_F16, GROUP_F16, "m64n8k32.f16.e5m2.e5m2", "")

/* Word w of a row of 32 bytes, in the order of the core matrices. */
__device__ int core_word(int row, int w) {
    return (row >> 3) * 64 + (w >> 2) * 32 + (row & 7) * 4 + (w & 3);
}

template <int FAMILY>
__global__ void group_kernel(int mode, uint64_t first, uint32_t tiles, uint32_t *out) {
    using f = family<FAMILY>;
    constexpr int per_word = 4 / f::bytes;
    __shared__ __align__(128) uint32_t sa[64 * 8], sb[8 * 8];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const int steps = mma_probe_steps(mode), total = steps * f::k;
    for (uint32_t i = blockIdx.x; i < tiles; i += gridDim.x) {
        const uint64_t tile = first + i;
        uint32_t value[4], d[4] = {0, 0, 0, 0};
        for (int j = 0; j < 4; j++)
            value[j] = (uint32_t)mma_probe_element(
                FAMILY, mode, tile, 2, (16 * warp + g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1), f::d);
        if (f::half) {
            d[0] = value[0] | value[1] << 16;
            d[1] = value[2] | value[3] << 16;
        } else {
            for (int j = 0; j < 4; j++) d[j] = value[j];
        }
        for (int s = 0; s < steps; s++) {
            __syncthreads();
            for (int w = (int)threadIdx.x; w < 64 * 8; w += 128)
                sa[core_word(w >> 3, w & 7)] = pack<FAMILY>(
                    mode, tile, 0, (w >> 3) * total + s * f::k + (w & 7) * per_word, f::a);
            if (threadIdx.x < 64)
                sb[core_word((int)threadIdx.x >> 3, (int)threadIdx.x & 7)] = pack<FAMILY>(
                    mode, tile, 1,
                    ((int)threadIdx.x >> 3) * total + s * f::k + ((int)threadIdx.x & 7) * per_word,
                    f::b);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            issue_group<FAMILY>(d, descriptor(sa), descriptor(sb));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;"
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])::"memory");
        }
        uint32_t *o = out + (size_t)i * f::m * 8;
        for (int j = 0; j < 4; j++) {
            const uint32_t v = f::half ? d[j >> 1] >> 16 * (j & 1) & 0xffff : d[j];
            o[(16 * warp + g + 8 * (j >> 1)) * 8 + 2 * t + (j & 1)] = v;
        }
    }
}

static uint32_t *buffer;
static size_t buffer_words;

static cudaError_t reserve(size_t words) {
    if (words <= buffer_words) return cudaSuccess;
    cudaFree(buffer);
    buffer_words = 0;
    const cudaError_t error = cudaMalloc(&buffer, 4 * words);
    if (error == cudaSuccess) buffer_words = words;
    return error;
}

} // namespace mma_probe

using namespace mma_probe;

extern "C" int mma_probe_open(const char **name) {
    static cudaDeviceProp properties;
    int count = 0;
    *name = "no CUDA device";
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 77;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 77;
    *name = properties.name;
    return properties.major == 9 && properties.minor == 0 ? 0 : 77;
}

extern "C" const char *mma_probe_error(int error) { return cudaGetErrorString((cudaError_t)error); }

extern "C" int mma_probe_device(int family_index, int mode, uint64_t first, uint32_t tiles,
                                uint32_t *out) {
    size_t words = 0;
    cudaError_t error = cudaSuccess;
    switch (family_index) {
#define LAUNCH_SYNC(ID, M) sync_kernel<MMA_PROBE_##ID><<<1056, 128>>>(mode, first, tiles, buffer);
#define LAUNCH_GROUP(ID, M) group_kernel<MMA_PROBE_##ID><<<1056, 128>>>(mode, first, tiles, buffer);
#define LAUNCH_DOUBLE(ID, M)                                                                       \
    double_kernel<MMA_PROBE_##ID><<<1056, 128>>>(mode, first, tiles, (uint64_t *)buffer);
#define CASE(ID, KIND, M, K, A, B, D, TAIL)                                                        \
    case MMA_PROBE_##ID:                                                                           \
        words = (size_t)tiles * M * 8 * (ASSAY_MMA_##D == ASSAY_MMA_F64 ? 2 : 1);                  \
        error = reserve(words);                                                                    \
        if (error != cudaSuccess) return (int)error;                                               \
        LAUNCH_##KIND(ID, M) break;
        MMA_PROBE_FAMILIES(CASE)
    }
    error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpy(out, buffer, 4 * words, cudaMemcpyDeviceToHost);
    return (int)error;
}
