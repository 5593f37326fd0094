/* The device layer's matrix operations, copies and partial barriers on the executor: the names do
 * what they say. What the operations do in every detail is tested below them (simt_matrix.c,
 * simt_async.c). */
#include "unit/device_matrix.h"

#include <criterion/criterion.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/kernel.h"
#include "assay/simt.h"

assay_kernel_entry assay_device_matrix_simt;

typedef struct bench {
    assay_simt *simt;
    uint16_t *in;
    device_matrix_params params;
} bench;

static void *allocate(assay_simt *simt, const char *name, size_t bytes) {
    void *pointer;
    cr_assert_eq(assay_simt_alloc(simt, name, bytes, 0, &pointer), ASSAY_OK);
    memset(pointer, 0, bytes);
    return pointer;
}

static bench run(int kernel, uint32_t threads, const uint16_t *in) {
    bench b;
    cr_assert_eq(assay_simt_create(NULL, &b.simt), ASSAY_OK, "%s", assay_last_error());
    b.in = allocate(b.simt, "in", 512);
    memcpy(b.in, in, 512);
    b.params = (device_matrix_params){
        .in = b.in, .out = allocate(b.simt, "out", 2048), .sums = allocate(b.simt, "sums", 2048)};
    const assay_geometry g = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    cr_assert_eq(assay_device_matrix_simt(kernel, &g, &b.params, b.simt), ASSAY_OK, "%s",
                 assay_last_error());
    return b;
}

static const uint16_t *numbers(void) {
    static uint16_t in[256];
    for (uint16_t i = 0; i < 256; i++) in[i] = (uint16_t)(i * 257);
    return in;
}

Test(device_matrix, multiply) {
    uint16_t in[256] = {0};
    float half = 0, whole = 0;
    for (int i = 0; i < 16; i++) {
        const double v = i % 2 ? -i : i + 1;
        in[i] = (uint16_t)assay_bf16_encode(v);
        in[16 + i] = (uint16_t)assay_f16_encode(v);
        whole += (float)(v * v);
        if (i < 8) half += (float)(v * v);
    }
    bench b = run(DEVICE_MATRIX_MULTIPLY, 32, in);
    for (int i = 0; i < 512; i++) {
        const float c = 100.0f * (float)(1 + i % 4);
        cr_assert_eq(b.params.sums[i], c + (i % 8 < 4 ? whole : half), "sum %d", i);
    }
    assay_simt_destroy(b.simt);
}

static uint32_t pair(uint32_t low, uint32_t high) {
    return numbers()[low] | (uint32_t)numbers()[high] << 16;
}

Test(device_matrix, rows) {
    bench b = run(DEVICE_MATRIX_ROWS, 32, numbers());
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t *out = b.params.out + 16 * lane, row = lane / 4, column = 2 * (lane % 4);
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t matrix = 64 * i, turned = matrix + 8 * column + row;
            const uint32_t straight = matrix + 8 * row + column;
            cr_assert_eq(out[i], pair(straight, straight + 1));
            cr_assert_eq(out[4 + i], pair(turned, turned + 8));
            if (i > 1) continue;
            cr_assert_eq(out[8 + i], out[i]);
            cr_assert_eq(out[10 + i], out[4 + i]);
        }
        cr_assert_eq(out[12], (uint32_t)numbers()[8 * lane + 3]);
        if (lane < 16) cr_assert_eq(out[13], (uint32_t)numbers()[lane / 8 * 64 + 24 + lane % 8]);
    }
    assay_simt_destroy(b.simt);
}

Test(device_matrix, copies) {
    bench b = run(DEVICE_MATRIX_COPY, 32, numbers());
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t *out = b.params.out + 16 * lane, first = 8 * lane;
        const uint32_t due[14] = {pair(first, first + 1),
                                  pair(first + 2, first + 3),
                                  pair(first + 4, first + 5),
                                  pair(first + 6, first + 7),
                                  pair(first, first + 1),
                                  numbers()[first + 2],
                                  0,
                                  0,
                                  pair(first, first + 1),
                                  pair(first + 2, first + 3),
                                  pair(first, first + 1),
                                  0,
                                  pair(first, first + 1),
                                  0};
        for (int i = 0; i < 14; i++) cr_assert_eq(out[i], due[i], "lane %u word %d", lane, i);
    }
    assay_simt_destroy(b.simt);
}

Test(device_matrix, partial_barriers) {
    bench b = run(DEVICE_MATRIX_BARRIER, 64, numbers());
    for (uint32_t lane = 0; lane < 32; lane++) cr_assert_eq(b.params.out[lane], 3 * (31 - lane));
    assay_simt_destroy(b.simt);
}
