/* Registration of rms_norm: attributes, grid, data, oracle, ablations, refusals. */
#include "assay/rms_norm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/oracle.h"
#include "data/rms_norm.h"
#include "op.h"

enum { X, W, Y, TENSORS };

static const char *const dtype_words[] = {"f32", "f16", "bf16", NULL};
static const char *const out_words[] = {"same", "f32", NULL};
static const char *const weight_words[] = {"yes", "no", NULL};
static const char *const convention_words[] = {"ra", "rb", "rc", NULL};
static const char *const inplace_words[] = {"no", "yes", NULL};

#define MAX_PAD (INT64_C(1) << 40)

static const assay_attr attrs[] = {
    {.key = "dt",
     .help = "storage of x and w, and of y unless out says otherwise",
     .kind = ASSAY_ATTR_WORD,
     .words = dtype_words,
     .fallback = ASSAY_BF16,
     .always = true},
    {.key = "out",
     .help = "storage of y: same as x, or f32 (not rounded to storage)",
     .kind = ASSAY_ATTR_WORD,
     .words = out_words},
    {.key = "rows",
     .help = "rows",
     .kind = ASSAY_ATTR_INT,
     .max = INT64_C(1) << 40,
     .fallback = 7,
     .always = true},
    {.key = "d",
     .help = "normalised width, elements",
     .kind = ASSAY_ATTR_INT,
     .min = 1,
     .max = ASSAY_RMS_NORM_MAX_D,
     .fallback = 4096,
     .always = true},
    {.key = "conv",
     .help = "rounding convention R-A, R-B or R-C",
     .kind = ASSAY_ATTR_WORD,
     .words = convention_words},
    {.key = "w", .help = "weight present", .kind = ASSAY_ATTR_WORD, .words = weight_words},
    {.key = "eps",
     .help = "added to the mean square",
     .kind = ASSAY_ATTR_REAL,
     .real_fallback = 1e-6,
     .always = true},
    {.key = "x_pad",
     .help = "row stride of x minus d, elements",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_PAD},
    {.key = "y_pad",
     .help = "row stride of y minus d, elements",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_PAD},
    {.key = "x_offset",
     .help = "x starts so many elements past a 256-byte boundary",
     .kind = ASSAY_ATTR_INT,
     .max = 255},
    {.key = "w_offset", .help = "the same of w", .kind = ASSAY_ATTR_INT, .max = 255},
    {.key = "y_offset", .help = "the same of y", .kind = ASSAY_ATTR_INT, .max = 255},
    {.key = "inplace", .help = "y written over x", .kind = ASSAY_ATTR_WORD, .words = inplace_words},
    {.key = "data",
     .help = "kind of input",
     .kind = ASSAY_ATTR_WORD,
     .words = rms_norm_data_words,
     .always = true},
    {.key = "seed",
     .help = "of the input",
     .kind = ASSAY_ATTR_INT,
     .max = INT64_MAX,
     .fallback = 42,
     .always = true},
};

static const char *const class_ignores[] = {"rows",     "eps",      "x_pad",    "y_pad",
                                            "x_offset", "w_offset", "y_offset", "inplace",
                                            "data",     "seed",     NULL};

static assay_dtype x_dtype(const assay_case *c) { return (assay_dtype)assay_case_index(c, "dt"); }
static assay_dtype y_dtype(const assay_case *c) {
    return assay_case_index(c, "out") ? ASSAY_F32 : x_dtype(c);
}
static bool has_weight(const assay_case *c) { return assay_case_index(c, "w") == 0; }
static bool in_place(const assay_case *c) { return assay_case_index(c, "inplace") != 0; }

/* ---- Grid ----------------------------------------------------------------------------------- */

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
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) emit(e, lines[i]);
}

static void emit_widths(emitter *e, const int64_t *widths, size_t count, bool all) {
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < sizeof storages / sizeof storages[0]; s++) {
            for (size_t v = 0; v < 6; v++) {
                const size_t turn = (i + s) % 6; /* one combination a width, or all six */
                if (!all && v != turn) continue;
                emit_class(e, storages[s].dt, storages[s].out, convention_words[v % 3],
                           weight_words[v / 3], widths[i]);
            }
        }
    }
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void grid(assay_level level, assay_case_sink *sink, void *context) {
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

/* ---- Tensors, data, launch ------------------------------------------------------------------ */

static assay_status describe(const assay_case *c, assay_tensor tensors[ASSAY_MAX_TENSORS],
                             size_t *count) {
    const int64_t rows = assay_case_int(c, "rows"), d = assay_case_int(c, "d");
    const int64_t x_pad = assay_case_int(c, "x_pad"), y_pad = assay_case_int(c, "y_pad");
    if (in_place(c) && (x_dtype(c) != y_dtype(c) || x_pad != y_pad ||
                        assay_case_int(c, "x_offset") != assay_case_int(c, "y_offset")))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "inplace=yes needs out=same, equal paddings and equal offsets");
    const assay_tensor x = {.role = "x",
                            .dtype = x_dtype(c),
                            .rank = 2,
                            .shape = {rows, d},
                            .stride = {d + x_pad, 1},
                            .offset = assay_case_int(c, "x_offset"),
                            .present = true,
                            .batched = true,
                            .alias = -1};
    const assay_tensor w = {.role = "w",
                            .dtype = x_dtype(c),
                            .rank = 1,
                            .shape = {d},
                            .stride = {1},
                            .offset = assay_case_int(c, "w_offset"),
                            .present = has_weight(c),
                            .alias = -1};
    const assay_tensor y = {.role = "y",
                            .dtype = y_dtype(c),
                            .rank = 2,
                            .shape = {rows, d},
                            .stride = {d + y_pad, 1},
                            .offset = assay_case_int(c, "y_offset"),
                            .output = true,
                            .present = true,
                            .batched = true,
                            .alias = in_place(c) ? X : -1};
    tensors[X] = x;
    tensors[W] = w;
    tensors[Y] = y;
    *count = TENSORS;
    return ASSAY_OK;
}

static void generate(const assay_case *c, const assay_tensor *tensors, void *const *data) {
    const rms_norm_recipe recipe = {.kind = (rms_norm_data)assay_case_index(c, "data"),
                                    .seed = (uint64_t)assay_case_int(c, "seed"),
                                    .dtype = x_dtype(c),
                                    .rows = tensors[X].shape[0],
                                    .d = tensors[X].shape[1],
                                    .eps = assay_case_real(c, "eps")};
    rms_norm_generate_x(&recipe, data[X]);
    if (data[W]) rms_norm_generate_w(&recipe, data[W]);
}

static assay_status launch(const assay_case *c, const assay_tensor *tensors, void *const *device,
                           const assay_target *target) {
    const assay_rms_norm_args args = {
        .x = device[X],
        .w = device[W],
        .y = device[Y],
        .rows = tensors[X].shape[0],
        .d = tensors[X].shape[1],
        .x_stride = tensors[X].stride[0],
        .y_stride = tensors[Y].stride[0],
        .eps = (float)assay_case_real(c, "eps"),
        .x_dtype = tensors[X].dtype,
        .y_dtype = tensors[Y].dtype,
        .convention = (assay_norm_convention)assay_case_index(c, "conv"),
    };
    return assay_rms_norm(&args, target);
}

/* Written from the documented rule, not from the launcher: 16-byte accesses when every operand's
 * start and row stride are multiples of 16 bytes, and two chunks a lane up to 1024 lanes. */
static bool sixteen(const assay_tensor *t) {
    const int64_t size = (int64_t)assay_dtype_size(t->dtype);
    const bool strides = t->rank < 2 || t->shape[0] < 2 || t->stride[0] * size % 16 == 0;
    return t->offset * size % 16 == 0 && strides;
}

static void expected_kernel(const assay_case *c, const assay_tensor *tensors, char *name,
                            size_t size) {
    const int64_t few = 2 * 1024 * (x_dtype(c) == ASSAY_F32 ? 4 : 8);
    const bool vector = sixteen(&tensors[X]) && sixteen(&tensors[Y]) &&
                        (!tensors[W].present || sixteen(&tensors[W]));
    name[0] = '\0';
    if (tensors[X].shape[0] == 0) return;
    snprintf(name, size, "rms_norm<%s,%s,%s>", assay_dtype_name(tensors[X].dtype),
             assay_dtype_name(tensors[Y].dtype),
             !vector                      ? "scalar"
             : tensors[X].shape[1] <= few ? "vector,few"
                                          : "vector,many");
}

static assay_case slice(const assay_case *c, int64_t first, int64_t count) {
    (void)first;
    assay_case part = *c;
    char text[64];
    snprintf(text, sizeof text, "rows=%lld", (long long)count);
    assay_case_override(&part, text);
    return part;
}

static const char *const same_bits[] = {"x_offset=1 y_offset=1",
                                        "x_offset=8",
                                        "y_offset=3",
                                        "w_offset=1",
                                        "x_pad=1",
                                        "x_pad=8 y_pad=24",
                                        "y_pad=7",
                                        "x_offset=0 y_offset=0 x_pad=0 y_pad=0 inplace=yes",
                                        NULL};

/* ---- Oracle --------------------------------------------------------------------------------- */

/* One RN division and one RN square root: (1+u)^2 - 1. The best approximate rsqrt: 2^-22.9. */
static const double exact_rsqrt = 0x1p-23 + 0x1p-48;
static const double approximate_rsqrt = 0x1.13p-23;

/* NULL: the kernels' own. "any": f32 sums in any order, approximate rsqrt. "h=N": a tree of height
 * N. "f32": as "any" with the kernels' own rsqrt... */
static assay_status contract_for(const assay_case *c, const char *text,
                                 assay_rms_norm_contract *contract) {
    const int64_t d = assay_case_int(c, "d");
    *contract = (assay_rms_norm_contract){
        .convention = (int)assay_case_index(c, "conv"),
        .x_dtype = x_dtype(c),
        .sum_height = assay_rms_norm_tree_for(x_dtype(c), d).height,
        .mean_roundings = 1,
        .rsqrt_error = exact_rsqrt,
    };
    if (!text || strcmp(text, "declared") == 0) return ASSAY_OK;
    contract->mean_roundings = 2;
    contract->rsqrt_error = approximate_rsqrt;
    char *end;
    if (strcmp(text, "any") == 0) {
        contract->sum_height = d;
        return ASSAY_OK;
    }
    if (strncmp(text, "h=", 2) == 0) {
        contract->sum_height = strtoll(text + 2, &end, 10);
        if (*end == '\0' && end != text + 2 && contract->sum_height >= 1 &&
            contract->sum_height <= ASSAY_RMS_NORM_MAX_D)
            return ASSAY_OK;
    }
    return assay_fail(ASSAY_ERR_ARGUMENT,
                      "contract '%s': expected declared, any, or h=N with N from 1 to %lld", text,
                      (long long)ASSAY_RMS_NORM_MAX_D);
}

/* Row `unit` of x and w in float64; the caller frees *x. */
static assay_status decode_row(const assay_tensor *tensors, const void *const *data, int64_t unit,
                               double **x, double **w) {
    const int64_t d = tensors[X].shape[1];
    *x = malloc(sizeof(double) * 2 * (size_t)d);
    if (!*x) return assay_fail(ASSAY_ERR_MEMORY, "rms_norm oracle: no memory for a row");
    *w = tensors[W].present ? *x + d : NULL;
    for (int64_t i = 0; i < d; i++) {
        (*x)[i] = assay_format_decode(tensors[X].dtype,
                                      assay_format_load(tensors[X].dtype, data[X], unit * d + i));
        if (*w)
            (*w)[i] = assay_format_decode(tensors[W].dtype,
                                          assay_format_load(tensors[W].dtype, data[W], i));
    }
    return ASSAY_OK;
}

static double case_eps(const assay_case *c) { return (double)(float)assay_case_real(c, "eps"); }

/* data=exact with eps=0: every step of every legal kernel is exact, so only y itself is right. */
static bool is_exact(const assay_case *c, const assay_rms_norm_contract *contract) {
    return assay_case_index(c, "data") == RMS_NORM_EXACT && assay_case_real(c, "eps") == 0.0 &&
           contract->mean_roundings == 1 && contract->rsqrt_error <= exact_rsqrt;
}

static assay_status oracle(const assay_case *c, const assay_tensor *tensors,
                           const void *const *data, const char *contract_text, size_t output,
                           int64_t unit, assay_bound *bounds) {
    (void)output;
    assay_rms_norm_contract contract;
    double *x, *w;
    assay_status status = contract_for(c, contract_text, &contract);
    if (!status) status = decode_row(tensors, data, unit, &x, &w);
    if (status) return status;
    status = assay_oracle_rms_norm(&contract, x, w, tensors[X].shape[1], case_eps(c), bounds);
    if (!status && is_exact(c, &contract))
        for (int64_t i = 0; i < tensors[X].shape[1]; i++) bounds[i].lo = bounds[i].hi = bounds[i].y;
    free(x);
    return status;
}

static const char *ablation_name(size_t ablation) {
    return assay_rms_norm_ablation_name((assay_rms_norm_ablation)(ablation + 1));
}

static bool ablation_applies(const assay_case *c, size_t ablation) {
    assay_rms_norm_contract contract;
    if (contract_for(c, NULL, &contract)) return false;
    const assay_rms_norm_ablation which = (assay_rms_norm_ablation)(ablation + 1);
    const int64_t d = assay_case_int(c, "d");
    /* One part in 2d of the result: below a 16-bit storage's half ulp from d = 64 on, and below the
     * f32 bound in long rows. */
    if (which == ASSAY_RMS_NORM_MEAN_D_MINUS_1 && d > 64) return false;
    return assay_rms_norm_ablation_applies(&contract, which, has_weight(c), d, case_eps(c));
}

static assay_status ablate(const assay_case *c, const assay_tensor *tensors,
                           const void *const *data, size_t ablation, int64_t unit, double *y) {
    assay_rms_norm_contract contract;
    double *x, *w;
    assay_status status = contract_for(c, NULL, &contract);
    if (!status) status = decode_row(tensors, data, unit, &x, &w);
    if (status) return status;
    status = assay_oracle_rms_norm_ablated(&contract, (assay_rms_norm_ablation)(ablation + 1), x, w,
                                           tensors[X].shape[1], case_eps(c), y);
    free(x);
    return status;
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static size_t refusals(const assay_target *target, char *message, size_t size) {
    static uint32_t memory[64];
    char *const m = (char *)memory;
    const assay_rms_norm_args good = {.x = m,
                                      .w = NULL,
                                      .y = m + 128,
                                      .rows = 2,
                                      .d = 8,
                                      .x_stride = 8,
                                      .y_stride = 8,
                                      .eps = 1e-6f,
                                      .x_dtype = ASSAY_BF16,
                                      .y_dtype = ASSAY_BF16};
    struct {
        const char *what;
        assay_status expected;
        assay_rms_norm_args args;
    } tries[] = {
        {"rows = -1", ASSAY_ERR_ARGUMENT, good},
        {"d = 0", ASSAY_ERR_ARGUMENT, good},
        {"d = 2^24 + 1", ASSAY_ERR_ARGUMENT, good},
        {"x_stride < d", ASSAY_ERR_ARGUMENT, good},
        {"y_stride < d", ASSAY_ERR_ARGUMENT, good},
        {"eps = -1", ASSAY_ERR_ARGUMENT, good},
        {"eps = NaN", ASSAY_ERR_ARGUMENT, good},
        {"eps = Inf", ASSAY_ERR_ARGUMENT, good},
        {"x = NULL", ASSAY_ERR_ARGUMENT, good},
        {"y = NULL", ASSAY_ERR_ARGUMENT, good},
        {"x at an odd byte", ASSAY_ERR_ALIGNMENT, good},
        {"y at an odd byte", ASSAY_ERR_ALIGNMENT, good},
        {"w at an odd byte", ASSAY_ERR_ALIGNMENT, good},
        {"x and y overlap", ASSAY_ERR_ARGUMENT, good},
        {"in place, other stride", ASSAY_ERR_ARGUMENT, good},
        {"w and y overlap", ASSAY_ERR_ARGUMENT, good},
        {"f32 -> bf16", ASSAY_ERR_UNSUPPORTED, good},
        {"convention 3", ASSAY_ERR_ARGUMENT, good},
        {"extent beyond 2^62", ASSAY_ERR_OVERFLOW, good},
        {"extent beyond int64", ASSAY_ERR_OVERFLOW, good},
    };
    enum { TRIES = sizeof tries / sizeof tries[0] };
    int i = 0;
    tries[i++].args.rows = -1;
    tries[i++].args.d = 0;
    tries[i].args.x_stride = tries[i].args.y_stride = tries[i].args.d = (INT64_C(1) << 24) + 1;
    i++;
    tries[i++].args.x_stride = 7;
    tries[i++].args.y_stride = 7;
    tries[i++].args.eps = -1.0f;
    tries[i++].args.eps = NAN;
    tries[i++].args.eps = INFINITY;
    tries[i++].args.x = NULL;
    tries[i++].args.y = NULL;
    tries[i++].args.x = m + 1;
    tries[i++].args.y = m + 129;
    tries[i++].args.w = m + 65;
    tries[i++].args.y = m + 16;
    tries[i].args.y = m;
    tries[i++].args.y_stride = 9;
    tries[i++].args.w = m + 130;
    tries[i++].args.x_dtype = ASSAY_F32;
    tries[i++].args.convention = (assay_norm_convention)3;
    tries[i].args.rows = INT64_C(1) << 40;
    tries[i++].args.x_stride = INT64_C(1) << 22;
    tries[i].args.rows = INT64_C(1) << 62;
    tries[i++].args.y_stride = INT64_C(1) << 62;
    message[0] = '\0';
    if (i != TRIES)
        snprintf(message, size, "the table of refusals has %d entries for %d", i, TRIES);
    for (i = 0; i < TRIES && !message[0]; i++) {
        assay_fail(ASSAY_OK, "%s", "");
        const assay_status got = assay_rms_norm(&tries[i].args, target);
        if (got != tries[i].expected)
            snprintf(message, size, "%s: expected %s, got %s", tries[i].what,
                     assay_status_name(tries[i].expected), assay_status_name(got));
        else if (!strstr(assay_last_error(), "rms_norm"))
            snprintf(message, size, "%s: refused without a message", tries[i].what);
    }
    return TRIES;
}

/* ---- Judging -------------------------------------------------------------------------------- */

static const assay_tensor *find(const assay_tensor *given, size_t count, const char *role) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].role, role) == 0) return &given[i];
    return NULL;
}

static assay_status from_shapes(assay_case *c, const assay_tensor *given, size_t count) {
    const assay_tensor *x = find(given, count, "x"), *w = find(given, count, "w"),
                       *y = find(given, count, "y");
    if (!x || !y) return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: x and y must both be given");
    if (x->rank < 1 || y->rank != x->rank)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: x has rank %d, y has rank %d; expected "
                          "the same, 1 or more",
                          x->rank, y->rank);
    int64_t rows = 1;
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] != y->shape[i])
            return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: dimension %d is %lld in x, %lld in y",
                              i, (long long)x->shape[i], (long long)y->shape[i]);
        if (i + 1 < x->rank && __builtin_mul_overflow(rows, x->shape[i], &rows))
            return assay_fail(ASSAY_ERR_OVERFLOW, "rms_norm: rows overflow");
    }
    const int64_t d = x->shape[x->rank - 1];
    if (w && (w->rank != 1 || w->shape[0] != d || w->dtype != x->dtype))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: w must be (%lld) of %s, like the rows of x", (long long)d,
                          assay_dtype_name(x->dtype));
    if (y->dtype != x->dtype && y->dtype != ASSAY_F32)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: y is %s; expected %s or f32",
                          assay_dtype_name(y->dtype), assay_dtype_name(x->dtype));
    char text[160];
    snprintf(text, sizeof text, "dt=%s out=%s rows=%lld d=%lld w=%s", assay_dtype_name(x->dtype),
             y->dtype == x->dtype ? "same" : "f32", (long long)rows, (long long)d,
             w ? "yes" : "no");
    return assay_case_override(c, text);
}

const assay_op assay_op_rms_norm = {
    .name = "rms_norm",
    .summary = "y = x / sqrt(mean(x^2) + eps) * w, per row of d",
    .attrs = attrs,
    .attr_count = COUNT(attrs),
    .class_ignores = class_ignores,
    .grid = grid,
    .describe = describe,
    .generate = generate,
    .launch = launch,
    .expected_kernel = expected_kernel,
    .oracle = oracle,
    .ablation_count = ASSAY_RMS_NORM_ABLATION_COUNT - 1,
    .ablation_name = ablation_name,
    .ablation_applies = ablation_applies,
    .ablate = ablate,
    .slice = slice,
    .same_bits = same_bits,
    .refusals = refusals,
    .from_shapes = from_shapes,
    .judge_contract = "any",
    .contract_help = "declared (the kernels' own tree), any (f32 in any order, approximate "
                     "rsqrt), h=N (a summation tree of height N)",
};
