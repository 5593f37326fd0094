/* Matrix instructions: the fragments of 32 lanes become tiles in memory and go to the chip's model.
 *
 * Layout (PTX ISA; g = lane / 4, t = lane % 4). With rows of up to 32 bytes of k:
 *   A register r: row g + 8 (r & 1), bytes 4t + 16 (r >> 1) .. + 3
 *   B register r: column g, bytes 4t + 16 r .. + 3
 *   C, D float i: row g + 8 (i >> 1), column 2t + (i & 1)
 */
#include "assay/mma.h"
#include "assay/simt_matrix.h"
#include "check.h"
#include "collective.h"
#include "fused.h"

enum { LANES = 32, M = 16, N = 8, ROW_BYTES = 32 };

_Static_assert((int)ASSAY_SIMT_MMA_SHAPE_COUNT <= (int)SIMT_MMA_SHAPES, "a worker's table");

static const struct {
    const char *name;
    int k, element;
} shapes[ASSAY_SIMT_MMA_SHAPE_COUNT] = {
    [ASSAY_SIMT_MMA_M16N8K16_BF16] = {"mma.m16n8k16.f32.bf16.bf16.f32", 16, 2},
    [ASSAY_SIMT_MMA_M16N8K16_F16] = {"mma.m16n8k16.f32.f16.f16.f32", 16, 2},
    [ASSAY_SIMT_MMA_M16N8K8_BF16] = {"mma.m16n8k8.f32.bf16.bf16.f32", 8, 2},
    [ASSAY_SIMT_MMA_M16N8K8_F16] = {"mma.m16n8k8.f32.f16.f16.f32", 8, 2},
    [ASSAY_SIMT_MMA_M16N8K8_TF32] = {"mma.m16n8k8.f32.tf32.tf32.f32", 8, 4},
    [ASSAY_SIMT_MMA_M16N8K4_TF32] = {"mma.m16n8k4.f32.tf32.tf32.f32", 4, 4},
    [ASSAY_SIMT_MMA_M16N8K32_E4M3] = {"mma.m16n8k32.f32.e4m3.e4m3.f32", 32, 1},
    [ASSAY_SIMT_MMA_M16N8K32_E5M2] = {"mma.m16n8k32.f32.e5m2.e5m2.f32", 32, 1},
};

/* One lane's registers. */
typedef struct fragments {
    const uint32_t *a, *b;
    const float *c;
} fragments;

static const assay_mma *model(simt_worker *worker, uint32_t shape, const simt_gathered *g) {
    const assay_chip *chip = worker->job->chip;
    if (worker->mma_chip != chip) {
        memset(worker->mma, 0, sizeof worker->mma);
        worker->mma_chip = chip;
    }
    if (worker->mma[shape] == NULL)
        worker->mma[shape] = assay_mma_find(chip->arch, shapes[shape].name);
    if (worker->mma[shape] == NULL)
        simt_fail(worker->running, g->site, "there is no model of %s on %s (%s)",
                  shapes[shape].name, chip->name, chip->arch);
    return worker->mma[shape];
}

/* The operands of one instruction as tiles: k of a shorter one comes first in its rows. */
typedef struct tiles {
    _Alignas(32) unsigned char a[M][ROW_BYTES], b[N][ROW_BYTES]; /* b: a column a row */
    float c[M][N];
} tiles;

static void gather(const simt_gathered *g, int halves, tiles *t) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const fragments *f = g->in[lane];
        const uint32_t row = lane / 4, word = lane % 4;
        for (int r = 0; r < 2 * halves; r++)
            memcpy(t->a[row + 8 * (uint32_t)(r & 1)] + 4 * word + 16 * (r >> 1), &f->a[r], 4);
        for (int r = 0; r < halves; r++) memcpy(t->b[row] + 4 * word + 16 * r, &f->b[r], 4);
        for (uint32_t i = 0; i < 4; i++) t->c[row + 8 * (i >> 1)][2 * word + (i & 1)] = f->c[i];
    }
}

typedef struct errand {
    const assay_mma *mma;
    assay_mma_tile_args args;
    assay_status status;
} errand;

static void run_model(void *context) {
    errand *e = context;
    e->status = assay_mma_tile(e->mma, &e->args);
}

static void multiply(const simt_gathered *g) {
    simt_worker *worker = g->warp->lane[0].worker;
    const assay_mma *mma = model(worker, g->detail, g);
    const int k = shapes[g->detail].k, element = shapes[g->detail].element;
    const int64_t row = ROW_BYTES / element;
    tiles t = {0}; /* k of a shorter instruction ends with zeros */
    gather(g, k * element / 16, &t);
    if (simt_fused_serves(mma)) {
        simt_fused_multiply(mma, (const uint16_t(*)[16])(const void *)t.a,
                            (const uint16_t(*)[16])(const void *)t.b, t.c);
    } else {
        errand e = {.mma = mma,
                    .args = {.m = M,
                             .n = N,
                             .k = k,
                             .a = {t.a, row, 1},
                             .b = {t.b, 1, row},
                             .c = t.c,
                             .d = t.c,
                             .c_stride = N,
                             .d_stride = N}};
        simt_run_deep(worker->running, run_model, &e);
        if (e.status != ASSAY_OK) simt_fail(worker->running, g->site, "%s", assay_last_error());
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < 4; i++)
            ((float *)g->out[lane])[i] = t.c[lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)];
}

/* Matrix instructions are of NVIDIA's warps. */
static void need_warp(const assay_simt_site *site) {
    const simt_lane *lane = simt_self();
    if (lane->self.warp_size != LANES)
        simt_fail(lane, site, "%s has waves of %u lanes and no such instruction",
                  lane->worker->job->chip->name, lane->self.warp_size);
}

void assay_simt_mma(assay_simt_mma_shape shape, float *d, const uint32_t *a, const uint32_t *b,
                    const float *c, const assay_simt_site *site) {
    const fragments f = {a, b, c};
    need_warp(site);
    simt_collective(multiply, shape, UINT32_MAX, &f, d, site);
}

/* ---- ldmatrix, stmatrix ---------------------------------------------------------------------- */

enum { TRANSPOSED = 8 }; /* in `detail`, beside the count */

/* One lane's operands. */
typedef struct rows {
    const void *row;
    uint32_t *registers;
} rows;

/* Row `j` of matrix `i`, checked. */
static unsigned char *row_of(const simt_gathered *g, uint32_t i, uint32_t j, simt_access kind) {
    const simt_lane *lane = &g->warp->lane[8 * i + j];
    const void *row = ((const rows *)g->in[8 * i + j])->row;
    if ((uintptr_t)row % 16 != 0)
        simt_fail(lane, g->site, "the row's address is %u bytes past a multiple of 16",
                  (unsigned)((uintptr_t)row % 16));
    if (!simt_in_shared(lane->worker, row, 16))
        simt_fail(lane, g->site, "the row's 16 bytes lie in no shared array");
    if (lane->worker->check != NULL)
        simt_check_door(lane->worker->check, lane, row, 16, kind, g->site);
    return (unsigned char *)(uintptr_t)row;
}

/* The two elements of matrix `i` that lane `lane` holds: bytes of the matrix as 8 rows of 16. */
static void places(uint32_t lane, bool transposed, uint32_t at[2]) {
    const uint32_t major = lane / 4, minor = 2 * (lane % 4);
    for (uint32_t h = 0; h < 2; h++)
        at[h] = transposed ? (minor + h) * 16 + 2 * major : major * 16 + 2 * (minor + h);
}

static void load(const simt_gathered *g) {
    const uint32_t count = g->detail & 7;
    unsigned char matrix[128];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < 8; j++) memcpy(matrix + 16 * j, row_of(g, i, j, SIMT_READ), 16);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t at[2];
            places(lane, g->detail & TRANSPOSED, at);
            uint16_t pair[2];
            for (int h = 0; h < 2; h++) memcpy(&pair[h], matrix + at[h], 2);
            memcpy(&((const rows *)g->in[lane])->registers[i], pair, 4);
        }
    }
}

static void store(const simt_gathered *g) {
    const uint32_t count = g->detail & 7;
    unsigned char matrix[128];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t at[2];
            places(lane, g->detail & TRANSPOSED, at);
            uint16_t pair[2];
            memcpy(pair, &((const rows *)g->in[lane])->registers[i], 4);
            for (int h = 0; h < 2; h++) memcpy(matrix + at[h], &pair[h], 2);
        }
        for (uint32_t j = 0; j < 8; j++) memcpy(row_of(g, i, j, SIMT_WRITE), matrix + 16 * j, 16);
    }
}

static void check_count(uint32_t count, const assay_simt_site *site) {
    if (count != 1 && count != 2 && count != 4)
        simt_fail(simt_self(), site, "%u matrices; there may be 1, 2 or 4", count);
}

void assay_simt_ldmatrix(uint32_t *registers, const void *row, uint32_t count, bool transposed,
                         const assay_simt_site *site) {
    const rows mine = {row, registers};
    need_warp(site);
    check_count(count, site);
    simt_collective(load, count | (transposed ? TRANSPOSED : 0), UINT32_MAX, &mine, NULL, site);
}

void assay_simt_stmatrix(void *row, const uint32_t *registers, uint32_t count, bool transposed,
                         const assay_simt_site *site) {
    uint32_t copy[4] = {0};
    memcpy(copy, registers, count <= 4 ? 4 * count : 0);
    const rows mine = {row, copy};
    need_warp(site);
    check_count(count, site);
    simt_collective(store, count | (transposed ? TRANSPOSED : 0), UINT32_MAX, &mine, NULL, site);
}
