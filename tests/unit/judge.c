/* Judging files: right, wrong, blind and vacuous results of rms_norm, and what is refused. */
#include "judge.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/formats.h"
#include "npy.h"
#include "operands.h"

static char folder[64];

static void open_folder(void) {
    strcpy(folder, "/tmp/assay-judge-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void close_folder(void) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

TestSuite(judge, .timeout = 20, .init = open_folder, .fini = close_folder);

/* The tensors of one case, y exact, and their files. */
typedef struct dump {
    assay_case c;
    assay_operands o;
    void *y;
    char path[3][128];
    assay_judge_tensor files[3]; /* x, w, y */
} dump;

static const assay_npy_type npy_types[ASSAY_DTYPE_COUNT] = {
    [ASSAY_F32] = ASSAY_NPY_F32, [ASSAY_F16] = ASSAY_NPY_F16, [ASSAY_BF16] = ASSAY_NPY_BF16};

static void save(dump *d, size_t i) {
    const assay_tensor *t = &d->o.tensors[i];
    snprintf(d->path[i], sizeof d->path[i], "%s/%s.npy", folder, t->role);
    d->files[i] = (assay_judge_tensor){.role = t->role, .path = d->path[i], .output = t->output};
    cr_assert_eq(assay_npy_save(d->path[i], npy_types[t->dtype], t->rank, t->shape,
                                t->output ? d->y : d->o.dense[i]),
                 ASSAY_OK, "%s", assay_last_error());
}

/* Fills y with the exact values, and writes all files. */
static void finish(dump *d) {
    const assay_tensor *y = &d->o.tensors[2];
    const int64_t units = assay_tensor_units(y), size = assay_tensor_unit_size(y);
    assay_bound *bounds = calloc((size_t)size, sizeof *bounds);
    for (int64_t u = 0; u < units; u++) {
        cr_assert_eq(d->c.op->oracle(&d->c, d->o.tensors, (const void *const *)d->o.dense, NULL, 2,
                                     u, bounds),
                     ASSAY_OK, "%s", assay_last_error());
        for (int64_t i = 0; i < size; i++)
            assay_format_store(y->dtype, d->y, u * size + i,
                               assay_format_encode(y->dtype, bounds[i].y));
    }
    free(bounds);
    for (size_t i = 0; i < 3; i++) save(d, i);
}

/* `files` points into the dump, which must stay where it is. */
static void make(dump *d, const char *line) {
    *d = (dump){0};
    cr_assert_eq(assay_case_parse(line, &d->c), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_operands_create(&d->c, &d->o), ASSAY_OK, "%s", assay_last_error());
    d->y = calloc(assay_tensor_bytes(&d->o.tensors[2]), 1);
    finish(d);
}

static assay_judge_request request_of(const dump *d, const char *attributes) {
    return (assay_judge_request){
        .op = d->c.op, .tensors = d->files, .count = 3, .attributes = attributes};
}

static void drop(dump *d) {
    assay_operands_free(&d->o);
    free(d->y);
}

#define LINE "rms_norm dt=bf16 rows=10 d=96 eps=1e-6 data=mixed"

Test(judge, exact_results_pass) {
    static const char *const types[] = {"dt=bf16", "dt=f16", "dt=f32", "dt=bf16 out=f32"};
    static const char *const conventions[] = {"conv=ra", "conv=rb", "conv=rc"};
    for (size_t t = 0; t < 4; t++)
        for (size_t k = 0; k < 3; k++) {
            char line[128], attributes[64];
            snprintf(line, sizeof line, "rms_norm %s %s rows=10 d=96 eps=1e-6 data=mixed", types[t],
                     conventions[k]);
            snprintf(attributes, sizeof attributes, "eps=1e-6 %s", conventions[k]);
            dump d;
            make(&d, line);
            const assay_judge_request request = request_of(&d, attributes);
            assay_judgement v;
            cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s: %s", line, assay_last_error());
            cr_expect_eq(v.result.word, ASSAY_PASSED, "%s: %s", line, v.result.message);
            cr_expect_str_eq(v.contract, "any");
            cr_expect_str_eq(v.blind, "", "%s", line);
            cr_expect_eq(v.result.outputs, 960);
            cr_expect_eq(v.result.tally.failed, 0);
            cr_expect_eq(v.result.slack_known, d.o.tensors[2].dtype == ASSAY_F32);
            drop(&d);
        }
}

Test(judge, each_wrong_element_fails_in_its_place) {
    dump d;
    make(&d, LINE);
    const assay_judge_request request = request_of(&d, "eps=1e-6");
    for (int64_t at = 0; at < 960; at += 53) {
        const uint32_t right = assay_format_load(ASSAY_BF16, d.y, at);
        assay_format_store(ASSAY_BF16, d.y, at, right + 2);
        save(&d, 2);
        assay_judgement v;
        cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
        cr_expect_eq(v.result.word, ASSAY_FAILED, "element %lld", (long long)at);
        cr_expect_eq(v.result.tally.failed, 1);
        cr_expect_eq(v.result.tally.worst_at, at);
        char place[64];
        snprintf(place, sizeof place, "y[row %lld, column %lld]", (long long)(at / 96),
                 (long long)(at % 96));
        cr_expect(strstr(v.result.message, place), "%s\n%s", place, v.result.message);
        assay_format_store(ASSAY_BF16, d.y, at, right);
    }
    drop(&d);
}

Test(judge, other_attributes_fail) {
    static const char *const wrong[] = {"eps=1e-5", "eps=0", "eps=1e-6 conv=rb",
                                        "eps=1e-6 conv=rc"};
    dump d;
    make(&d, LINE);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const assay_judge_request request = request_of(&d, wrong[i]);
        assay_judgement v;
        cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
        cr_expect_eq(v.result.word, ASSAY_FAILED, "%s", wrong[i]);
    }
    drop(&d);
}

Test(judge, blind_inputs_are_mistrusted_unless_accepted) {
    dump d;
    make(&d, "rms_norm dt=bf16 rows=3 d=64 eps=1e-6 data=ones");
    assay_judge_request request = request_of(&d, "eps=1e-6");
    assay_judgement v;
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_MISTRUSTED);
    cr_expect(strstr(v.blind, "no_weight") && strstr(v.blind, "tail_lost"), "%s", v.blind);
    cr_expect(strstr(v.result.message, v.blind));
    request.accept = "no_weight"; /* one of several is not enough */
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_MISTRUSTED);
    char all_of_them[512];
    strcpy(all_of_them, v.blind);
    request.accept = all_of_them;
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_PASSED);
    cr_expect_str_eq(v.blind, all_of_them, "accepted gaps stay in the report");
    request.accept = "all";
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_PASSED);
    assay_format_store(ASSAY_BF16, d.y, 70, 0); /* accepting a gap forgives no error */
    save(&d, 2);
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_FAILED);
    drop(&d);
}

Test(judge, telling_rows_are_looked_for_beyond_the_first) {
    dump d, telling;
    make(&telling, "rms_norm dt=bf16 rows=10 d=64 eps=1e-6 data=mixed");
    make(&d, "rms_norm dt=bf16 rows=30 d=64 eps=1e-6 data=ones");
    memcpy((char *)d.o.dense[0] + 20 * 64 * 2, telling.o.dense[0], 10 * 64 * 2);
    memcpy(d.o.dense[1], telling.o.dense[1], 64 * 2);
    finish(&d);
    const assay_judge_request request = request_of(&d, "eps=1e-6");
    assay_judgement v;
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_PASSED, "%s", v.result.message);
    drop(&d);
    drop(&telling);
}

Test(judge, a_vacuous_contract_is_called_so) {
    dump d;
    make(&d, LINE);
    assay_judge_request request = request_of(&d, "eps=1e-6");
    request.contract = "h=16777216";
    assay_judgement v;
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_ILL_CONDITIONED);
    cr_expect(strstr(v.result.message, "contract 'h=16777216' says nothing here"), "%s",
              v.result.message);
    drop(&d);
}

Test(judge, f64_is_taken_only_where_nothing_is_lost) {
    dump d;
    make(&d, "rms_norm dt=f32 rows=10 d=96 eps=1e-6 data=mixed");
    double wide[960];
    const int64_t shape[3] = {2, 5, 96}; /* leading dimensions are rows */
    for (size_t i = 0; i < 3; i += 2) {
        const void *from = i == 0 ? d.o.dense[0] : d.y;
        for (int64_t e = 0; e < 960; e++)
            wide[e] = assay_format_decode(ASSAY_F32, assay_format_load(ASSAY_F32, from, e));
        cr_assert_eq(assay_npy_save(d.path[i], ASSAY_NPY_F64, 3, shape, wide), ASSAY_OK);
    }
    const assay_judge_request request = request_of(&d, "eps=1e-6");
    assay_judgement v;
    cr_assert_eq(assay_judge(&request, &v), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(v.result.word, ASSAY_PASSED, "%s", v.result.message);
    static const double lost[] = {0.1, 1e300, -1e39, 0x1p-150, 0x1.ffffffp127};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        wide[17] = lost[i];
        cr_assert_eq(assay_npy_save(d.path[2], ASSAY_NPY_F64, 3, shape, wide), ASSAY_OK);
        cr_expect_eq(assay_judge(&request, &v), ASSAY_ERR_ARGUMENT, "%g", lost[i]);
        cr_expect(strstr(assay_last_error(), "y.npy: data: found the f64") &&
                      strstr(assay_last_error(), "in element 17"),
                  "%s", assay_last_error());
    }
    drop(&d);
}

Test(judge, what_does_not_fit_is_refused) {
    dump d;
    make(&d, LINE);
    const assay_judge_tensor x = d.files[0], w = d.files[1], y = d.files[2];
    assay_judge_tensor strange = x, input_y = y, output_x = x, integers = x, called = y;
    strange.role = "z";
    input_y.output = false;
    output_x.output = true;
    char bits[128], five[128], f32[128];
    snprintf(bits, sizeof bits, "%s/bits.npy", folder);
    snprintf(five, sizeof five, "%s/five.npy", folder);
    snprintf(f32, sizeof f32, "%s/f32.npy", folder);
    const int64_t shape[5] = {1, 1, 1, 10, 96}, width[1] = {96}, none_of[2] = {0, 96};
    float ones[96] = {1};
    cr_assert_eq(assay_npy_save(bits, ASSAY_NPY_U16, 2, shape + 3, d.y), ASSAY_OK);
    cr_assert_eq(assay_npy_save(five, ASSAY_NPY_BF16, 5, shape, d.y), ASSAY_OK);
    cr_assert_eq(assay_npy_save(f32, ASSAY_NPY_F32, 1, width, ones), ASSAY_OK);
    char empty[128];
    snprintf(empty, sizeof empty, "%s/empty.npy", folder);
    cr_assert_eq(assay_npy_save(empty, ASSAY_NPY_BF16, 2, none_of, d.y), ASSAY_OK);
    assay_judge_tensor x0 = x, y0 = y;
    x0.path = y0.path = empty;
    integers.path = bits;
    called.path = f32;
    called.bf16 = true;
    assay_judge_tensor y5 = y, w32 = w, none = y;
    y5.path = five;
    w32.path = f32;
    none.path = "/no/such.npy";
    const struct {
        assay_judge_tensor tensors[4];
        size_t count;
        const char *attributes, *contract, *accept, *says;
        assay_status status;
    } tries[] = {
        {{x, w, strange},
         3,
         NULL,
         NULL,
         NULL,
         "no tensor 'z'; it has x, w, y (output)",
         ASSAY_ERR_ARGUMENT},
        {{x, w, x}, 3, NULL, NULL, NULL, "'x' is given twice", ASSAY_ERR_ARGUMENT},
        {{x, w, input_y},
         3,
         NULL,
         NULL,
         NULL,
         "'y' is an output: name it with --out",
         ASSAY_ERR_ARGUMENT},
        {{output_x, w, y},
         3,
         NULL,
         NULL,
         NULL,
         "'x' is an input: name it with --in",
         ASSAY_ERR_ARGUMENT},
        {{x, w}, 2, NULL, NULL, NULL, "y must", ASSAY_ERR_ARGUMENT},
        {{integers, w, y},
         3,
         NULL,
         NULL,
         NULL,
         "bits.npy: descr: found 16-bit integers",
         ASSAY_ERR_ARGUMENT},
        {{x, w, called},
         3,
         NULL,
         NULL,
         NULL,
         "f32.npy: descr: found f32, expected u2 or V2",
         ASSAY_ERR_ARGUMENT},
        {{x, w, y5},
         3,
         NULL,
         NULL,
         NULL,
         "five.npy: shape: found 5 dimensions",
         ASSAY_ERR_ARGUMENT},
        {{x, w32, y}, 3, NULL, NULL, NULL, "w must be (96) of bf16", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, "d=95", NULL, NULL, "contradict the attributes", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, "rows=9", NULL, NULL, "contradict the attributes", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, "dt=f16", NULL, NULL, "contradict the attributes", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, "width=96", NULL, NULL, "width", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, NULL, "tree", NULL, "contract 'tree'", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, NULL, "h=0", NULL, "contract 'h=0'", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, NULL, NULL, "no_wait", "no fault 'no_wait' to accept", ASSAY_ERR_ARGUMENT},
        {{x, w, y}, 3, NULL, NULL, "no_w", "no fault 'no_w' to accept", ASSAY_ERR_ARGUMENT},
        {{x0, w, y0}, 3, NULL, NULL, NULL, "'y' holds no elements", ASSAY_ERR_ARGUMENT},
        {{x, w, none}, 3, NULL, NULL, NULL, "/no/such.npy: file: found No such file", ASSAY_ERR_IO},
    };
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        const assay_judge_request request = {d.c.op,
                                             tries[i].tensors,
                                             tries[i].count,
                                             tries[i].attributes,
                                             tries[i].contract,
                                             tries[i].accept};
        assay_judgement v;
        cr_expect_eq(assay_judge(&request, &v), tries[i].status, "%s", tries[i].says);
        cr_expect(strstr(assay_last_error(), tries[i].says), "want %s\nsaid %s", tries[i].says,
                  assay_last_error());
    }
    drop(&d);
}
