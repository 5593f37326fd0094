/* Registration of gemm_bf16: attributes, operands, launch. Grid, data, oracle, refusals and judging
 * are in gemm_bf16/. */
#include "gemm_bf16/gemm_bf16.h"

#include <stdio.h>

#include "assay/oracle_gemm.h"
#include "launcher.h"

static const char *const out_words[] = {"bf16", "f32", NULL};

#define MAX_ROWS (INT64_C(1) << 40)

static const assay_attr attrs[] = {
    {.key = "out",
     .help = "storage of y: bf16, or f32 (the accumulator itself)",
     .kind = ASSAY_ATTR_WORD,
     .words = out_words,
     .always = true},
    {.key = "m",
     .help = "rows of x and y",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_ROWS,
     .fallback = 7,
     .always = true},
    {.key = "n",
     .help = "rows of w, columns of y",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_ROWS,
     .fallback = 65,
     .always = true},
    {.key = "k",
     .help = "terms of a sum",
     .kind = ASSAY_ATTR_INT,
     .max = ASSAY_GEMM_BF16_MAX_K,
     .fallback = 100,
     .always = true},
    {.key = "x_pad",
     .help = "row stride of x minus k, elements",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_ROWS},
    {.key = "w_pad",
     .help = "row stride of w minus k, elements",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_ROWS},
    {.key = "y_pad",
     .help = "row stride of y minus n, elements",
     .kind = ASSAY_ATTR_INT,
     .max = MAX_ROWS},
    {.key = "x_offset",
     .help = "x starts so many elements past a 256-byte boundary",
     .kind = ASSAY_ATTR_INT,
     .max = 255},
    {.key = "w_offset", .help = "the same of w", .kind = ASSAY_ATTR_INT, .max = 255},
    {.key = "y_offset", .help = "the same of y", .kind = ASSAY_ATTR_INT, .max = 255},
    {.key = "data",
     .help = "kind of input",
     .kind = ASSAY_ATTR_WORD,
     .words = gemm_data_words,
     .always = true},
    {.key = "seed",
     .help = "of the input",
     .kind = ASSAY_ATTR_INT,
     .max = INT64_MAX,
     .fallback = 42,
     .always = true},
};

static const char *const class_ignores[] = {"m",        "x_pad",    "w_pad", "y_pad", "x_offset",
                                            "w_offset", "y_offset", "data",  "seed",  NULL};

static assay_tensor matrix(const assay_case *c, const char *role, const char *rows,
                           const char *columns, const char *pad, const char *offset) {
    const int64_t width = assay_case_int(c, columns);
    return (assay_tensor){.role = role,
                          .dtype = ASSAY_BF16,
                          .rank = 2,
                          .shape = {assay_case_int(c, rows), width},
                          .stride = {width + assay_case_int(c, pad), 1},
                          .offset = assay_case_int(c, offset),
                          .present = true,
                          .alias = -1};
}

static assay_status describe(const assay_case *c, assay_tensor tensors[ASSAY_MAX_TENSORS],
                             size_t *count) {
    tensors[GEMM_X] = matrix(c, "x", "m", "k", "x_pad", "x_offset");
    tensors[GEMM_W] = matrix(c, "w", "n", "k", "w_pad", "w_offset");
    tensors[GEMM_Y] = matrix(c, "y", "m", "n", "y_pad", "y_offset");
    tensors[GEMM_X].batched = tensors[GEMM_Y].batched = true;
    tensors[GEMM_Y].output = true;
    if (assay_case_index(c, "out")) tensors[GEMM_Y].dtype = ASSAY_F32;
    *count = GEMM_TENSORS;
    return ASSAY_OK;
}

static void generate(const assay_case *c, const assay_tensor *tensors, void *const *data) {
    const gemm_recipe recipe = {.kind = (gemm_data)assay_case_index(c, "data"),
                                .seed = (uint64_t)assay_case_int(c, "seed"),
                                .m = tensors[GEMM_X].shape[0],
                                .n = tensors[GEMM_W].shape[0],
                                .k = tensors[GEMM_X].shape[1]};
    gemm_generate_x(&recipe, data[GEMM_X]);
    gemm_generate_w(&recipe, data[GEMM_W]);
}

typedef assay_status gemm_launcher(const assay_gemm_bf16_args *, const assay_target *);

assay_status gemm_bf16_call(const assay_gemm_bf16_args *args, const assay_target *target) {
    gemm_launcher *const launcher = (gemm_launcher *)assay_launcher(
        target, "assay_gemm_bf16", (assay_function *)assay_gemm_bf16);
    return launcher ? launcher(args, target) : ASSAY_ERR_UNSUPPORTED;
}

static assay_status launch(const assay_case *c, const assay_tensor *tensors, void *const *device,
                           const assay_target *target) {
    const assay_gemm_bf16_args args = {
        .x = device[GEMM_X],
        .w = device[GEMM_W],
        .y = device[GEMM_Y],
        .m = tensors[GEMM_X].shape[0],
        .n = tensors[GEMM_W].shape[0],
        .k = tensors[GEMM_X].shape[1],
        .x_stride = tensors[GEMM_X].stride[0],
        .w_stride = tensors[GEMM_W].stride[0],
        .y_stride = tensors[GEMM_Y].stride[0],
        .y_dtype = tensors[GEMM_Y].dtype,
    };
    (void)c;
    return gemm_bf16_call(&args, target);
}

/* Written from the documented rule, not from the launcher. */
static bool sixteen(const assay_tensor *t) {
    return t->offset % 8 == 0 && (t->shape[0] < 2 || t->stride[0] % 8 == 0);
}

static void expected_kernel(const assay_case *c, const assay_tensor *tensors, char *name,
                            size_t size) {
    (void)c;
    name[0] = '\0';
    if (assay_tensor_elements(&tensors[GEMM_Y]) == 0) return;
    const bool async = sixteen(&tensors[GEMM_X]) && sixteen(&tensors[GEMM_W]);
    snprintf(name, size, "gemm_bf16<bf16,%s,%s>", assay_dtype_name(tensors[GEMM_Y].dtype),
             async ? "async" : "scalar");
}

static assay_case slice(const assay_case *c, int64_t first, int64_t count) {
    (void)first;
    assay_case part = *c;
    char text[64];
    snprintf(text, sizeof text, "m=%lld", (long long)count);
    assay_case_override(&part, text);
    return part;
}

/* Both paths, strides of both kinds, every operand off its boundary. */
static const char *const same_bits[] = {"x_offset=1", "w_offset=8 y_offset=3", "x_pad=1 w_pad=3",
                                        "x_pad=8 w_pad=16 y_pad=5", NULL};

const assay_op assay_op_gemm_bf16 = {
    .name = "gemm_bf16",
    .summary = "y = x w^T, bf16 operands, f32 accumulation in matrix units",
    .attrs = attrs,
    .attr_count = sizeof attrs / sizeof attrs[0],
    .class_ignores = class_ignores,
    .grid = gemm_bf16_grid,
    .describe = describe,
    .generate = generate,
    .launch = launch,
    .expected_kernel = expected_kernel,
    .oracle = gemm_bf16_oracle,
    .ablation_count = ASSAY_GEMM_ABLATION_COUNT - 1,
    .ablation_name = gemm_bf16_ablation_text,
    .ablation_applies = gemm_bf16_ablation_applies,
    .ablate = gemm_bf16_ablate,
    .slice = slice,
    .same_bits = same_bits,
    .refusals = gemm_bf16_refusals,
    .from_shapes = gemm_bf16_from_shapes,
    .judge_contract = "any",
    .contract_help =
        "declared (blocks of 16 k in order, any chip of the table), sm_80, sm_90 (that "
        "chip's matrix units), fma-chain (f32 fused multiply-adds in any order), any "
        "(f32 additions in any order and grouping, matrix units included)",
};
