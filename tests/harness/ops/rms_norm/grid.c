/* The grid of rms_norm: which cases each level runs. */
#include <stdio.h>

#include "rms_norm.h"

static const char *const conventions[] = {"ra", "rb", "rc"};
static const char *const weights[] = {"yes", "no"};

/* Widths around every width of the kernel: a chunk (4, 8), a warp of chunks, a block, the register
 * limits, the published ones, and long rows. */
static const int64_t widths_smoke[] = {1, 7, 8, 9, 64, 769, 4096};
static const int64_t widths_ci[] = {1,    2,    3,    4,    5,    7,    8,    9,    15,
                                    16,   17,   31,   33,   63,   64,   65,   127,  128,
                                    129,  255,  256,  257,  511,  512,  513,  768,  769,
                                    1023, 1024, 1025, 2047, 2049, 2880, 4096, 4100, 5125};
static const int64_t widths_long[] = {8191,  8192,  8193,  13824, 16383, 16384,
                                      16385, 32769, 65536, 65537, 262144};
static const int64_t widths_nightly[] = {6,     10,    12,    14,     18,     24,     40,     96,
                                         192,   320,   576,   640,    896,    1280,   1536,   1792,
                                         2560,  3072,  3584,  5120,   6144,   7168,   11008,  12288,
                                         14336, 28672, 53248, 131072, 131073, 524288, 1048576};

static const struct {
    const char *dt, *out;
} storages[] = {
    {"bf16", "same"}, {"f16", "same"}, {"f32", "same"}, {"bf16", "f32"}, {"f16", "f32"}};

typedef struct emitter {
    assay_case_sink *sink;
    void *context;
    bool stopped;
} emitter;

static void emit(emitter *e, const char *text) {
    assay_case c;
    char line[ASSAY_CASE_LINE];
    snprintf(line, sizeof line, "rms_norm %s", text);
    if (e->stopped || assay_case_parse(line, &c) != ASSAY_OK) return;
    e->stopped = !e->sink(&c, e->context);
}

/* Every data kind that a class needs for each of its ablations to show, for one width. */
static void emit_class(emitter *e, const char *dt, const char *out, const char *conv, const char *w,
                       int64_t d) {
    static const struct {
        const char *data, *eps;
        int rows;
    } kinds[] = {{"normal", "1e-6", 3},   {"near_eps", "1e-6", 2}, {"tail_spike", "1e-5", 5},
                 {"exact", "0", 3},       {"absorb", "0", 2},      {"scales", "1e-5", 4},
                 {"special", "1e-6", 11}, {"heavy", "1e-6", 2}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && !e->stopped; k++) {
        const int rows =
            d > 8192 && kinds[k].rows > 4 ? (kinds[k].rows == 11 ? 11 : 4) : kinds[k].rows;
        if (d > 8192 && (k == 5 || k == 6 || k == 7)) continue; /* shown by the shorter rows */
        char text[256];
        snprintf(text, sizeof text,
                 "dt=%s out=%s conv=%s w=%s rows=%d d=%lld eps=%s data=%s "
                 "seed=%lld",
                 dt, out, conv, w, rows, (long long)d, kinds[k].eps, kinds[k].data,
                 (long long)(d * 8 + (int64_t)k));
        emit(e, text);
    }
}

/* Combinations beyond one class: many rows, eps of other sizes, far strides, misaligned operands.
 */
static void emit_layouts(emitter *e) {
    static const char *const lines[] = {
        "dt=bf16 rows=0 d=64 data=mixed",
        "dt=bf16 rows=1031 d=64 data=mixed seed=3",
        "dt=f16 rows=257 d=1 data=mixed seed=4",
        "dt=f32 rows=130 d=260 data=mixed seed=5",
        "dt=bf16 rows=300 d=7 data=mixed seed=6 x_pad=2 y_pad=3",
        "dt=bf16 rows=5 d=1024 eps=1e-2 data=mixed seed=7",
        "dt=f32 rows=5 d=1024 eps=1e-12 data=mixed seed=8",
        "dt=f32 rows=11 d=512 eps=0 data=special seed=9",
        "dt=bf16 rows=22 d=96 eps=0 data=special seed=10",
        "dt=bf16 rows=5 d=4096 data=mixed seed=11 x_pad=1073737728 y_pad=1073737728",
        "dt=f32 rows=5 d=100 data=mixed seed=12 x_pad=1073741724 y_pad=8",
        "dt=f16 rows=5 d=33 data=mixed seed=13 x_pad=3 y_pad=2147483615",
        "dt=bf16 rows=10 d=2048 data=mixed seed=14 inplace=yes",
        "dt=f32 rows=10 d=333 data=mixed seed=15 x_pad=5 y_pad=5 inplace=yes",
        "dt=bf16 rows=5 d=1000 data=mixed seed=16 x_offset=1 y_offset=2 w_offset=3",
        "dt=bf16 rows=5 d=1000 data=mixed seed=17 w_offset=1",
        "dt=bf16 rows=5 d=1000 data=mixed seed=18 y_offset=1",
        "dt=f32 rows=5 d=1000 data=mixed seed=19 x_offset=1",
        "dt=bf16 rows=10 d=16384 conv=rb data=mixed seed=20 x_pad=8 y_pad=16",
        /* aligned to 8 bytes, not to 16 */
        "dt=bf16 rows=5 d=1000 data=mixed seed=21 x_offset=4",
        "dt=bf16 rows=5 d=1000 data=mixed seed=22 y_offset=4",
        "dt=bf16 rows=5 d=1000 data=mixed seed=23 w_offset=4",
        "dt=f32 rows=5 d=1000 data=mixed seed=32 x_offset=2 y_offset=2",
        "dt=bf16 rows=5 d=1000 data=mixed seed=33 x_pad=4 y_pad=4",
        /* tails of rows that are 16-byte aligned */
        "dt=bf16 rows=5 d=1025 data=mixed seed=24 x_pad=7 y_pad=7",
        "dt=f32 rows=5 d=1023 data=mixed seed=25 x_pad=1 y_pad=1",
        /* rows too long to be held in registers, with gaps between them, and in place */
        "dt=bf16 rows=3 d=65536 conv=rc data=mixed seed=26 x_pad=8 y_pad=24",
        "dt=f32 rows=3 d=32769 w=no data=mixed seed=27 x_pad=3 y_pad=8",
        "dt=bf16 rows=3 d=65536 conv=rc data=mixed seed=28 inplace=yes",
        /* results half-way between two stored values */
        "dt=bf16 rows=3 d=769 conv=rc eps=0 data=ties seed=29",
        "dt=f16 rows=3 d=769 conv=rc eps=0 data=ties seed=30",
        "dt=f32 rows=3 d=769 conv=rc eps=0 data=ties seed=31",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) emit(e, lines[i]);
}

static void emit_widths(emitter *e, const int64_t *widths, size_t count, bool all) {
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < sizeof storages / sizeof storages[0]; s++) {
            for (size_t v = 0; v < 6; v++) {
                const size_t turn = (i + s) % 6; /* one combination a width, or all six */
                if (!all && v != turn) continue;
                emit_class(e, storages[s].dt, storages[s].out, conventions[v % 3], weights[v / 3],
                           widths[i]);
            }
        }
    }
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

void rms_norm_grid(assay_level level, assay_case_sink *sink, void *context) {
    emitter e = {.sink = sink, .context = context};
    if (level == ASSAY_SMOKE) {
        emit_widths(&e, widths_smoke, COUNT(widths_smoke), false);
        return;
    }
    emit_widths(&e, widths_ci, COUNT(widths_ci), level == ASSAY_NIGHTLY);
    if (level != ASSAY_NIGHTLY) emit_widths(&e, widths_smoke, COUNT(widths_smoke) - 1, true);
    emit_layouts(&e);
    emit_widths(&e, widths_long, COUNT(widths_long), level == ASSAY_NIGHTLY);
    if (level == ASSAY_NIGHTLY) emit_widths(&e, widths_nightly, COUNT(widths_nightly), true);
}
