/* Registration of rms_norm: attributes, operands, launch. Grid, data, oracle, refusals and judging
 * are in rms_norm/. */
#include "rms_norm/rms_norm.h"

#include <stdio.h>

#include "launcher.h"

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
                            .alias = in_place(c) ? RMS_NORM_X : -1};
    tensors[RMS_NORM_X] = x;
    tensors[RMS_NORM_W] = w;
    tensors[RMS_NORM_Y] = y;
    *count = RMS_NORM_TENSORS;
    return ASSAY_OK;
}

static void generate(const assay_case *c, const assay_tensor *tensors, void *const *data) {
    const rms_norm_recipe recipe = {.kind = (rms_norm_data)assay_case_index(c, "data"),
                                    .seed = (uint64_t)assay_case_int(c, "seed"),
                                    .dtype = x_dtype(c),
                                    .rows = tensors[RMS_NORM_X].shape[0],
                                    .d = tensors[RMS_NORM_X].shape[1],
                                    .eps = assay_case_real(c, "eps")};
    rms_norm_generate_x(&recipe, data[RMS_NORM_X]);
    if (data[RMS_NORM_W]) rms_norm_generate_w(&recipe, data[RMS_NORM_W]);
}

typedef assay_status rms_norm_launcher(const assay_rms_norm_args *, const assay_target *);

assay_status rms_norm_call(const assay_rms_norm_args *args, const assay_target *target) {
    rms_norm_launcher *const launcher = (rms_norm_launcher *)assay_launcher(
        target, "assay_rms_norm", (assay_function *)assay_rms_norm);
    return launcher ? launcher(args, target) : ASSAY_ERR_UNSUPPORTED;
}

static assay_status launch(const assay_case *c, const assay_tensor *tensors, void *const *device,
                           const assay_target *target) {
    const assay_rms_norm_args args = {
        .x = device[RMS_NORM_X],
        .w = device[RMS_NORM_W],
        .y = device[RMS_NORM_Y],
        .rows = tensors[RMS_NORM_X].shape[0],
        .d = tensors[RMS_NORM_X].shape[1],
        .x_stride = tensors[RMS_NORM_X].stride[0],
        .y_stride = tensors[RMS_NORM_Y].stride[0],
        .eps = (float)assay_case_real(c, "eps"),
        .x_dtype = tensors[RMS_NORM_X].dtype,
        .y_dtype = tensors[RMS_NORM_Y].dtype,
        .convention = (assay_norm_convention)assay_case_index(c, "conv"),
    };
    return rms_norm_call(&args, target);
}

/* Written from the documented rule, not from the launcher: 16-byte accesses when every operand's
 * start and row stride are multiples of 16 bytes. */
static bool sixteen(const assay_tensor *t) {
    const int64_t size = (int64_t)assay_dtype_size(t->dtype);
    const bool strides = t->rank < 2 || t->shape[0] < 2 || t->stride[0] * size % 16 == 0;
    return t->offset * size % 16 == 0 && strides;
}

static void expected_kernel(const assay_case *c, const assay_tensor *tensors, char *name,
                            size_t size) {
    const bool vector = sixteen(&tensors[RMS_NORM_X]) && sixteen(&tensors[RMS_NORM_Y]) &&
                        (!tensors[RMS_NORM_W].present || sixteen(&tensors[RMS_NORM_W]));
    (void)c;
    name[0] = '\0';
    if (tensors[RMS_NORM_X].shape[0] == 0) return;
    snprintf(name, size, "rms_norm<%s,%s,%s>", assay_dtype_name(tensors[RMS_NORM_X].dtype),
             assay_dtype_name(tensors[RMS_NORM_Y].dtype), vector ? "vector" : "scalar");
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

const assay_op assay_op_rms_norm = {
    .name = "rms_norm",
    .summary = "y = x / sqrt(mean(x^2) + eps) * w, per row of d",
    .attrs = attrs,
    .attr_count = sizeof attrs / sizeof attrs[0],
    .class_ignores = class_ignores,
    .grid = rms_norm_grid,
    .describe = describe,
    .generate = generate,
    .launch = launch,
    .expected_kernel = expected_kernel,
    .oracle = rms_norm_oracle,
    .ablation_count = ASSAY_RMS_NORM_ABLATION_COUNT - 1,
    .ablation_name = rms_norm_ablation_text,
    .ablation_applies = rms_norm_ablation_applies,
    .ablate = rms_norm_ablate,
    .slice = slice,
    .same_bits = same_bits,
    .refusals = rms_norm_refusals,
    .from_shapes = rms_norm_from_shapes,
    .judge_contract = "any",
    .contract_help = "declared (the kernels' own tree), any (f32 in any order, approximate "
                     "rsqrt), h=N (a summation tree of height N)",
    .explain = rms_norm_explain,
};
