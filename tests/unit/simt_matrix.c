/* Matrix operations: register layouts against a plain restatement, numbers against the models. */
#include "assay/simt_matrix.h"
#include "assay/mma.h"
#include "simt_kit.h"

static uint64_t draw(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ (*state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- mma ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t k, bytes;
} shapes[] = {
    {"mma.m16n8k16.f32.bf16.bf16.f32", 16, 2}, {"mma.m16n8k16.f32.f16.f16.f32", 16, 2},
    {"mma.m16n8k8.f32.bf16.bf16.f32", 8, 2},   {"mma.m16n8k8.f32.f16.f16.f32", 8, 2},
    {"mma.m16n8k8.f32.tf32.tf32.f32", 8, 4},   {"mma.m16n8k4.f32.tf32.tf32.f32", 4, 4},
    {"mma.m16n8k32.f32.e4m3.e4m3.f32", 32, 1}, {"mma.m16n8k32.f32.e5m2.e5m2.f32", 32, 1},
};

typedef struct {
    int shape;
    const uint8_t *a, *b; /* 16 rows of k elements; 8 columns of k elements */
    const float *c;       /* 16 x 8 */
    float *d;
} mma_params;

/* Element (row, k) of A and (k, column) of B in lane `lane`, as the PTX ISA tabulates them. */
static void mma_kernel(const void *params) {
    SITE(site, "dev_mma", 30);
    const mma_params *p = params;
    const uint32_t lane = assay_simt_self->lane, g = lane >> 2, t = lane & 3;
    const uint32_t k = shapes[p->shape].k, bytes = shapes[p->shape].bytes, per = 4 / bytes;
    uint32_t a[4] = {0}, b[2] = {0};
    float c[4], d[4];
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t h = 0; h < per; h++) {
            const uint32_t at = per * t + h + 4 * per * (r >> 1);
            if (at >= k) continue;
            memcpy((uint8_t *)&a[r] + h * bytes, p->a + ((g + 8 * (r & 1)) * k + at) * bytes,
                   bytes);
        }
    }
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t h = 0; h < per; h++)
            if (per * t + h + 4 * per * r < k)
                memcpy((uint8_t *)&b[r] + h * bytes,
                       p->b + (g * k + per * t + h + 4 * per * r) * bytes, bytes);
    for (uint32_t i = 0; i < 4; i++) c[i] = p->c[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)];
    assay_simt_mma((assay_simt_mma_shape)p->shape, d, a, b, c, &site);
    for (uint32_t i = 0; i < 4; i++) p->d[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)] = d[i];
}

/* Codes of `bytes` bytes: by mode near one another in size, small, large, or any at all. */
static void fill(uint64_t *state, int mode, uint8_t *to, uint32_t count, uint32_t bytes,
                 bool bf16) {
    const uint32_t fraction = bytes == 4 ? 23 : bf16 ? 7 : 10;
    const uint32_t middle = bytes == 2 && !bf16 ? 15 : 127;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bits = draw(state);
        uint32_t v = (uint32_t)bits, exponent = middle - 4 + (uint32_t)(bits >> 40) % 8;
        if (mode == 1) exponent = (uint32_t)(bits >> 40) % (bytes == 4 ? 12 : middle + 2);
        if (mode == 2) exponent = 2 * middle - (uint32_t)(bits >> 40) % 20;
        const uint32_t kept = (1u << fraction) - 1, sign = 1u << (8 * bytes - 1);
        if (mode < 3 && bytes > 1) v = (v & (kept | sign)) | exponent << fraction;
        if (mode == 1 && bits >> 60 == 0) v &= sign;
        memcpy(to + (size_t)i * bytes, &v, bytes);
    }
}

enum { ROUNDS = 60 };

/* How many of the results differ between two chips. */
static int compare_with_model(const char *chip, int shape, float *kept) {
    assay_simt *simt = make_simt(chip, 1, 0);
    const assay_mma *mma = assay_mma_find(assay_chip_find(chip)->arch, shapes[shape].name);
    cr_assert(mma != NULL, "%s on %s", shapes[shape].name, chip);
    const uint32_t k = shapes[shape].k, bytes = shapes[shape].bytes;
    uint8_t *a = make_tensor(simt, "a", 16 * k * bytes), *b = make_tensor(simt, "b", 8 * k * bytes);
    float *c = make_tensor(simt, "c", 512), *d = make_tensor(simt, "d", 512);
    const mma_params p = {shape, a, b, c, d};
    uint64_t state = (uint64_t)shape + 1;
    int differing = 0;
    const bool bf16 = strstr(shapes[shape].name, "bf16") != NULL;
    for (int round = 0; round < ROUNDS; round++) {
        fill(&state, round % 4, a, 16 * k, bytes, bf16);
        fill(&state, round % 4, b, 8 * k, bytes, bf16);
        fill(&state, round % 4, (uint8_t *)c, 128, 4, false);
        run_ok(simt, mma_kernel, &p, 1, 32);
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t accumulator, got;
            memcpy(&accumulator, &c[i], 4);
            memcpy(&got, &d[i], 4);
            const uint64_t due = assay_mma_dot(mma, a + i / 8 * k * bytes, b + i % 8 * k * bytes,
                                               accumulator, NULL, NULL);
            cr_assert_eq(got, (uint32_t)due, "%s on %s, element %u: 0x%08x, due 0x%08x",
                         shapes[shape].name, chip, i, got, (uint32_t)due);
            differing += memcmp(&kept[128 * round + (int)i], &d[i], 4) != 0;
            kept[128 * round + (int)i] = d[i];
        }
    }
    assay_simt_destroy(simt);
    return differing;
}

Test(simt_matrix, mma_is_the_chips_own) {
    static float kept[ROUNDS * 128];
    for (int shape = 0; shape < (int)MEMBERS(shapes); shape++) {
        compare_with_model("h200", shape, kept);
        if (shapes[shape].bytes == 1) continue;
        const int differing = compare_with_model("a100", shape, kept);
        cr_expect(differing > 0, "%s: a100 and h200 never differ", shapes[shape].name);
    }
}

/* One warp per shape and chip; d may be c, and two warps use different instructions at once. */
static void two_warps_kernel(const void *params) {
    SITE(site, "dev_mma", 31);
    float *out = *(float *const *)params;
    const assay_simt_lane *self = assay_simt_self;
    const uint32_t one = self->warp == 0 ? 0x3f803f80 : 0x3c003c00; /* bf16, f16 */
    const uint32_t a[4] = {one, one, one, one}, b[2] = {one, one};
    float d[4] = {1, 2, 3, 4};
    assay_simt_mma(self->warp == 0 ? ASSAY_SIMT_MMA_M16N8K16_BF16 : ASSAY_SIMT_MMA_M16N8K16_F16, d,
                   a, b, d, &site);
    for (uint32_t i = 0; i < 4; i++) out[4 * self->thread + i] = d[i];
}

Test(simt_matrix, warps_multiply_on_their_own_and_in_place) {
    assay_simt *simt = make_simt("h200", 1, 3);
    float *out = make_tensor(simt, "out", 64 * 16);
    run_ok(simt, two_warps_kernel, &out, 1, 64);
    for (int i = 0; i < 256; i++) cr_assert_eq(out[i], (float)(17 + i % 4));
    assay_simt_destroy(simt);
}

/* ---- ldmatrix, stmatrix ---------------------------------------------------------------------- */

typedef struct {
    uint32_t count;
    bool transposed;
    uint32_t *registers; /* [lane][4] */
    uint16_t *stored;    /* [matrix][row][column] */
} rows_params;

/* Rows lie in a scrambled order, each 16 bytes, so that no layout is right by luck. */
static uint32_t slot(uint32_t row) { return (row * 13 + 5) % 32; }

static uint16_t element(uint32_t matrix, uint32_t row, uint32_t column) {
    return (uint16_t)(matrix << 8 | row << 4 | column);
}

static void rows_kernel(const void *params) {
    SITE(array, "dev_shared", 40);
    SITE(barrier, "dev_barrier", 41);
    SITE(load, "dev_ldmatrix", 42);
    SITE(store, "dev_stmatrix", 43);
    const rows_params *p = params;
    const uint32_t lane = assay_simt_self->lane;
    uint16_t *shared = assay_simt_shared("rows", 512, 16, &array);
    uint16_t *back = assay_simt_shared("back", 512, 16, &array);
    for (uint32_t i = 0; i < 8; i++) shared[8 * slot(lane) + i] = element(lane / 8, lane % 8, i);
    assay_simt_barrier(&barrier);
    uint32_t registers[4] = {0};
    const bool named = lane < 8 * p->count; /* the others' addresses are nonsense */
    assay_simt_ldmatrix(registers, named ? shared + 8 * slot(lane) : (const uint16_t *)1, p->count,
                        p->transposed, &load);
    for (uint32_t i = 0; i < 4; i++) p->registers[4 * lane + i] = registers[i];
    assay_simt_stmatrix(named ? back + 8 * slot(lane) : (uint16_t *)1, registers, p->count,
                        p->transposed, &store);
    for (uint32_t i = 0; named && i < 8; i++) p->stored[8 * lane + i] = back[8 * slot(lane) + i];
}

Test(simt_matrix, ldmatrix_gives_each_lane_its_pair_and_stmatrix_puts_it_back) {
    assay_simt *simt = make_simt("h200", 1, 0);
    rows_params p = {.registers = make_tensor(simt, "registers", 512),
                     .stored = make_tensor(simt, "stored", 512)};
    for (int k = 0; k < 6; k++) {
        p.count = 1u << k / 2;
        p.transposed = k % 2;
        run_ok(simt, rows_kernel, &p, 1, 32);
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t row = lane / 4, column = 2 * (lane % 4);
            for (uint32_t i = 0; i < p.count; i++) {
                const uint16_t low =
                    p.transposed ? element(i, column, row) : element(i, row, column);
                const uint16_t high =
                    p.transposed ? element(i, column + 1, row) : element(i, row, column + 1);
                cr_assert_eq(p.registers[4 * lane + i], (uint32_t)high << 16 | low);
            }
        }
        for (uint32_t i = 0; i < 64 * p.count; i++)
            cr_assert_eq(p.stored[i], element(i / 64, i / 8 % 8, i % 8));
    }
    assay_simt_destroy(simt);
}

/* ---- What is an error ------------------------------------------------------------------------ */

enum {
    ROW_MISALIGNED,
    ROW_NOT_SHARED,
    ROW_OVER_END,
    THREE_MATRICES,
    LANE_GONE,
    OTHER_SHAPE,
    OTHER_OP
};

typedef struct {
    int what;
    uint16_t *global;
} wrong_params;

static void wrong_kernel(const void *params) {
    SITE(array, "dev_shared", 50);
    SITE(load, "dev_ldmatrix_x4", 51);
    SITE(multiply, "dev_mma_m16n8k16", 52);
    const wrong_params *p = params;
    const uint32_t lane = assay_simt_self->lane;
    uint8_t *shared = assay_simt_shared("rows", 512, 16, &array);
    uint32_t a[4] = {0}, b[2] = {0};
    float d[4] = {0};
    const bool odd_one = lane == 19;
    uint8_t *row = shared + 16 * lane;
    if (p->what == ROW_MISALIGNED && odd_one) row += 8;
    if (p->what == ROW_NOT_SHARED && odd_one) row = (uint8_t *)p->global;
    if (p->what == ROW_OVER_END && odd_one) row = shared + 512;
    if (p->what == LANE_GONE && odd_one) return;
    if (p->what == OTHER_OP && odd_one) {
        assay_simt_mma(ASSAY_SIMT_MMA_M16N8K16_BF16, d, a, b, d, &multiply);
        return;
    }
    if (p->what == OTHER_SHAPE)
        assay_simt_mma(odd_one ? ASSAY_SIMT_MMA_M16N8K16_F16 : ASSAY_SIMT_MMA_M16N8K16_BF16, d, a,
                       b, d, &multiply);
    assay_simt_ldmatrix(a, row, p->what == THREE_MATRICES ? 3 : 4, false, &load);
}

Test(simt_matrix, wrong_operands_are_named) {
    static const char *const texts[] = {
        [ROW_MISALIGNED] =
            "[warp 0 lane 19]: dev_ldmatrix_x4 at kernel.cu:51: the row's address is "
            "8 bytes past a multiple of 16",
        [ROW_NOT_SHARED] = "the row's 16 bytes lie in no shared array",
        [ROW_OVER_END] = "the row's 16 bytes lie in no shared array",
        [THREE_MATRICES] = "3 matrices; there may be 1, 2 or 4",
        [LANE_GONE] = "lane 19 of the mask 0xffffffff has already returned",
        [OTHER_SHAPE] = "[warp 0 lane 19]: dev_mma_m16n8k16 at kernel.cu:52: called with another "
                        "shape or type than lane 0",
        [OTHER_OP] = "dev_mma_m16n8k16 at kernel.cu:52: lane 0 of the mask 0xffffffff waits in "
                     "dev_ldmatrix_x4 at kernel.cu:51",
    };
    assay_simt *simt = make_simt("h200", 1, 0);
    wrong_params p = {.global = make_tensor(simt, "global", 64)};
    const assay_simt_launch launch = make_launch(wrong_kernel, &p, 1, 32);
    for (p.what = 0; p.what < (int)MEMBERS(texts); p.what++)
        EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0)", texts[p.what]);
    assay_simt_destroy(simt);
}

static void half_a_warp_kernel(const void *params) {
    SITE(multiply, "dev_mma_m16n8k16", 60);
    const uint32_t a[4] = {0}, b[2] = {0};
    float d[4] = {0};
    (void)params;
    assay_simt_mma(ASSAY_SIMT_MMA_M16N8K16_BF16, d, a, b, d, &multiply);
}

Test(simt_matrix, half_warps_and_waves_have_no_mma) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(half_a_warp_kernel, NULL, 1, 16);
    EXPECT_KERNEL_ERROR(simt, &launch,
                        "names lane 16, which does not exist: the warp has 16 lanes");
    assay_simt_set_chip(simt, assay_chip_find("mi300x"));
    launch = make_launch(half_a_warp_kernel, NULL, 1, 64);
    EXPECT_KERNEL_ERROR(simt, &launch, "mi300x has waves of 64 lanes and no such instruction");
    assay_chip unknown = *assay_chip_find("h200");
    unknown.name = "sample";
    unknown.arch = "sm_999";
    assay_simt_set_chip(simt, &unknown);
    launch = make_launch(half_a_warp_kernel, NULL, 1, 32);
    EXPECT_KERNEL_ERROR(simt, &launch,
                        "there is no model of mma.m16n8k16.f32.bf16.bf16.f32 on sample (sm_999)");
    assay_simt_destroy(simt);
}
