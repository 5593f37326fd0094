/* The grid of gemm_bf16: which cases each level runs. */
#include <stdio.h>
#include <string.h>

#include "gemm_bf16.h"

typedef struct shape {
    int m, n, k;
} shape;

/* Around every width of the kernel, no two sizes alike: k around a chunk (8), a block (16), a step
 * (32), the ring (128); m and n around an instruction, a warp's quarter (32), a tile (64). */
static const shape smoke[] = {{1, 65, 33}, {17, 9, 129}, {65, 66, 64}};
static const shape edges[] = {
    {9, 1, 1},     {7, 8, 2},     {8, 15, 7},    {15, 7, 8},    {16, 17, 9},   {17, 16, 15},
    {31, 9, 16},   {32, 31, 17},  {33, 32, 31},  {11, 33, 32},  {63, 47, 34},  {64, 63, 48},
    {65, 64, 63},  {10, 65, 65},  {1, 66, 64},   {127, 12, 95}, {13, 129, 96}, {14, 10, 97},
    {12, 19, 127}, {18, 20, 128}, {19, 21, 130}, {66, 67, 161}, {20, 8, 257},  {8, 72, 500},
};
static const shape large[] = {{7, 24, 2049}, {7, 24, 4096}, {257, 130, 72}, {7, 2000, 40}};
static const shape nightly[] = {{129, 257, 1025}, {512, 384, 1024}, {7, 12, 65537}, {3, 8, 262144}};

static const char *const kinds[] = {"normal", "heavy",  "exact",  "pick",       "block",
                                    "scales", "cancel", "rising", "tail_spike", "special"};

typedef struct emitter {
    assay_case_sink *sink;
    void *context;
    bool stopped;
} emitter;

static void emit(emitter *e, const char *text) {
    assay_case c;
    char line[ASSAY_CASE_LINE];
    snprintf(line, sizeof line, "gemm_bf16 %s", text);
    if (e->stopped || assay_case_parse(line, &c) != ASSAY_OK) return;
    e->stopped = !e->sink(&c, e->context);
}

/* An f32 y comes with rows padded to 16 bytes, so that any k takes the path of copies; a bf16 y
 * with dense ones, so that most k take the other. */
static void emit_shape(emitter *e, const char *out, shape s, const char *data) {
    char text[200];
    const int pad = strcmp(out, "f32") == 0 ? (8 - s.k % 8) % 8 : 0;
    snprintf(text, sizeof text, "out=%s m=%d n=%d k=%d x_pad=%d w_pad=%d data=%s seed=%d", out, s.m,
             s.n, s.k, pad, pad ? pad + 8 : 0, data, s.k * 8 + s.n);
    emit(e, text);
}

/* Both outputs; seven rows of mixed data show every fault of a class. */
static void emit_shapes(emitter *e, const shape *shapes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (int f32 = 0; f32 < 2; f32++) {
            const shape rows = {7, shapes[i].n, shapes[i].k};
            emit_shape(e, f32 ? "f32" : "bf16", shapes[i], "mixed");
            if (shapes[i].m < 7) emit_shape(e, f32 ? "f32" : "bf16", rows, "mixed");
        }
    }
}

/* Every kind of data, on shapes with more than one tile, or more than one turn of the ring. */
static void emit_kinds(emitter *e) {
    static const shape shapes[] = {{13, 66, 65}, {26, 17, 140}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        emit_shape(e, "bf16", shapes[i], "mixed");
        emit_shape(e, "f32", shapes[i], "mixed");
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            emit_shape(e, "f32", shapes[i], kinds[k]);
            if (i == 0) emit_shape(e, "bf16", shapes[i], kinds[k]);
        }
    }
}

/* Empty operands, strides beyond 32 bits, operands off their boundaries. */
static void emit_layouts(emitter *e) {
    static const char *const lines[] = {
        "out=bf16 m=0 n=65 k=33 data=mixed",
        "out=f32 m=9 n=0 k=33 data=mixed",
        "out=f32 m=9 n=10 k=0 data=mixed",
        "out=f32 m=7 n=9 k=40 x_pad=1073741784 w_pad=8 data=mixed",
        "out=bf16 m=7 n=9 k=40 w_pad=1073741785 data=mixed",
        "out=bf16 m=7 n=9 k=40 y_pad=2147483641 x_pad=8 data=mixed",
        "out=bf16 m=66 n=65 k=37 x_offset=1 w_offset=2 y_offset=3 data=mixed",
        "out=f32 m=66 n=65 k=37 x_offset=8 w_offset=16 y_pad=1 data=mixed",
        "out=f32 m=66 n=65 k=37 x_pad=3 w_pad=3 data=mixed",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) emit(e, lines[i]);
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

void gemm_bf16_grid(assay_level level, assay_case_sink *sink, void *context) {
    emitter e = {.sink = sink, .context = context};
    emit_shapes(&e, smoke, COUNT(smoke));
    if (level == ASSAY_SMOKE) return;
    emit_shapes(&e, edges, COUNT(edges));
    emit_kinds(&e);
    emit_layouts(&e);
    emit_shapes(&e, large, COUNT(large));
    if (level == ASSAY_NIGHTLY) emit_shapes(&e, nightly, COUNT(nightly));
}
