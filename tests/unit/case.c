/* Case lines: canonical form, round trips, refusals, filters. */
#include "case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/status.h"
#include "names.h"
#include "toy_op.h"

TestSuite(harness_case, .timeout = 20);

#define SEED UINT64_C(0x0a55a7ca5e)

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static assay_case parsed(const char *line) {
    assay_case c;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s: %s", line, assay_last_error());
    return c;
}

static void expect_canonical(const char *line, const char *expected) {
    assay_case c = parsed(line);
    char text[ASSAY_CASE_LINE];
    assay_case_format(&c, text);
    cr_expect_str_eq(text, expected, "%s gave '%s', expected '%s'", line, text, expected);
}

Test(harness_case, lines_have_one_canonical_form) {
    expect_canonical("toy", "toy dt=f32 rows=1 d=8 data=normal");
    expect_canonical("toy seed=42 data=tail_spike eps=1e-5 d=8192 rows=7 dt=bf16",
                     "toy dt=bf16 rows=7 d=8192 eps=1e-5 data=tail_spike seed=42");
    expect_canonical("toy\trows=007  d=16\n", "toy dt=f32 rows=7 d=16 data=normal");
    expect_canonical("toy eps=0.000001 weight=1 seed=1", "toy dt=f32 rows=1 d=8 data=normal");
    expect_canonical("toy weight=0", "toy dt=f32 rows=1 d=8 weight=0 data=normal");
    expect_canonical("toy seed=-9223372036854775808",
                     "toy dt=f32 rows=1 d=8 data=normal seed=-9223372036854775808");
    expect_canonical("toy seed=9223372036854775807",
                     "toy dt=f32 rows=1 d=8 data=normal seed=9223372036854775807");
}

Test(harness_case, reals_are_written_shortest) {
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"1e-5", "1e-5"},
        {"0.00001", "1e-5"},
        {"1E+10", "1e10"},
        {"1e0010", "1e10"},
        {"0.1", "0.1"},
        {".5", "0.5"},
        {"-2.50", "-2.5"},
        {"100000", "1e5"},
        {"0", "0"},
        {"-0", "-0"},
        {"1e-300", "1e-300"},
        {"4.9e-324", "5e-324"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"1.7976931348623157e308", "1.7976931348623157e308"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char line[128], expected[128];
        snprintf(line, sizeof line, "toy eps=%s", table[i].text);
        snprintf(expected, sizeof expected, "toy dt=f32 rows=1 d=8 eps=%s data=normal",
                 table[i].expected);
        expect_canonical(line, expected);
    }
}

static assay_case random_case(uint64_t *state) {
    const assay_op *op = assay_op_at(next_random(state) % assay_op_count());
    assay_case c = assay_case_default(op);
    for (size_t i = 0; i < op->attr_count; i++) {
        const assay_attr *a = &op->attrs[i];
        uint64_t r = next_random(state);
        if (r % 4 == 0) continue;
        if (a->kind == ASSAY_ATTR_INT) {
            uint64_t span = (uint64_t)a->max - (uint64_t)a->min + 1;
            c.value[i].i = (int64_t)((uint64_t)a->min + (span ? next_random(state) % span : r));
        } else if (a->kind == ASSAY_ATTR_WORD) {
            int64_t words = 0;
            while (a->words[words]) words++;
            c.value[i].i = (int64_t)(next_random(state) % (uint64_t)words);
        } else {
            do {
                r = next_random(state);
                memcpy(&c.value[i].r, &r, sizeof r);
            } while (!isfinite(c.value[i].r));
        }
    }
    return c;
}

Test(harness_case, what_is_printed_reads_back) {
    uint64_t state = SEED;
    for (int n = 0; n < 5000; n++) {
        assay_case c = random_case(&state);
        char line[ASSAY_CASE_LINE], again[ASSAY_CASE_LINE];
        assay_case_format(&c, line);
        assay_case back = parsed(line);
        assay_case_format(&back, again);
        cr_assert_str_eq(line, again);
        cr_assert_eq(back.op, c.op);
        size_t bytes = c.op->attr_count * sizeof c.value[0];
        cr_assert_eq(memcmp(back.value, c.value, bytes), 0, "%s changed when read back", line);
    }
}

static void expect_refused(const char *line, const char *said) {
    assay_case c = assay_case_default(&toy_other), before = c;
    cr_expect_eq(assay_case_parse(line, &c), ASSAY_ERR_ARGUMENT, "'%s' was not refused", line);
    cr_expect(strstr(assay_last_error(), said), "'%s': '%s' is not in '%s'", line, said,
              assay_last_error());
    cr_expect_eq(memcmp(&c, &before, sizeof c), 0, "'%s' changed the case", line);
}

Test(harness_case, wrong_lines_are_refused_with_what_exists) {
    expect_refused("", "expected OP key=value");
    expect_refused(" \t", "expected OP key=value");
    expect_refused("tyo rows=1", "unknown op 'tyo'; did you mean 'toy'? known: toy, other");
    expect_refused("rows=1", "unknown op 'rows=1'; known: toy, other");
    expect_refused("toy row=1", "unknown key 'row'; did you mean 'rows'? known: dt, rows, d, eps");
    expect_refused("toy rows", "expected key=value, found 'rows'");
    expect_refused("toy =1", "unknown key ''");
    expect_refused("toy data=nromal", "did you mean 'normal'? known: normal, tail_spike, zeros");
    expect_refused("toy data=", "unknown word");
    expect_refused("toy data=norma", "unknown word");
    expect_refused("toy dt=normal", "unknown word in dt=normal");
    expect_refused("toy rows=1 d=2 rows=1", "key 'rows' is given twice");
    expect_refused("toy rows=1000001", "rows=1000001 is outside 0..1000000");
    expect_refused("toy rows=-1", "rows=-1 is outside 0..1000000");
    expect_refused("toy d=0", "d=0 is outside 1..16777216");
    expect_refused("toy rows=", "is not a decimal integer");
    expect_refused("toy rows=-", "is not a decimal integer");
    expect_refused("toy rows=0x10", "is not a decimal integer");
    expect_refused("toy rows=1.0", "is not a decimal integer");
    expect_refused("toy rows=+1", "is not a decimal integer");
    expect_refused("toy seed=9223372036854775808", "does not fit 64 bits");
    expect_refused("toy seed=-9223372036854775809", "does not fit 64 bits");
    expect_refused("toy seed=18446744073709551617", "does not fit 64 bits");
    expect_refused("toy eps=", "is not a decimal number");
    expect_refused("toy eps=nan", "is not a decimal number");
    expect_refused("toy eps=inf", "is not a decimal number");
    expect_refused("toy eps=0x1p-3", "is not a decimal number");
    expect_refused("toy eps=1e", "is not a decimal number");
    expect_refused("toy eps=1,5", "is not a decimal number");
    expect_refused("toy eps=1e999", "outside the range of a double");
    expect_refused("toy eps=1e-999", "outside the range of a double");
}

Test(harness_case, lines_longer_than_a_line_are_refused) {
    char line[2 * ASSAY_CASE_LINE];
    memset(line, '0', sizeof line);
    memcpy(line, "toy rows=", 9);
    strcpy(line + ASSAY_CASE_LINE - 1, "7");
    expect_refused(line, "longer than 511 characters");
    strcpy(line + ASSAY_CASE_LINE - 2, "7");
    expect_canonical(line, "toy dt=f32 rows=7 d=8 data=normal");
}

Test(harness_case, an_override_is_whole_or_nothing) {
    assay_case c = parsed("toy rows=3 d=64");
    cr_expect_eq(assay_case_override(&c, "d=5 data=zeros"), ASSAY_OK);
    cr_expect_eq(assay_case_int(&c, "rows"), 3);
    cr_expect_eq(assay_case_int(&c, "d"), 5);
    cr_expect_str_eq(assay_case_word(&c, "data"), "zeros");
    cr_expect_eq(assay_case_real(&c, "eps"), 1e-6);
    cr_expect_eq(assay_case_override(&c, "rows=9 d=0"), ASSAY_ERR_ARGUMENT);
    cr_expect_eq(assay_case_int(&c, "rows"), 3);
    cr_expect_eq(assay_case_override(&c, ""), ASSAY_OK);
}

Test(harness_case, a_class_leaves_keys_out) {
    static const char *const keys[] = {"rows", "seed", "data", NULL};
    assay_case c = parsed("toy dt=bf16 rows=7 d=64 eps=1e-5 seed=3 data=zeros");
    char line[ASSAY_CASE_LINE];
    assay_case_format_without(&c, keys, line);
    cr_expect_str_eq(line, "toy dt=bf16 d=64 eps=1e-5");
}

static bool selected(const char *line, const char *const *words, size_t count) {
    assay_case c = parsed(line);
    bool matches = false;
    cr_assert_eq(assay_case_matches(&c, words, count, &matches), ASSAY_OK, "%s: %s", words[0],
                 assay_last_error());
    return matches;
}

Test(harness_case, filters_select) {
    static const char *const line = "toy dt=bf16 rows=7 d=4096 data=tail_spike";
    static const struct {
        const char *word;
        bool matches;
    } table[] = {
        {"toy", true},           {"other", false},
        {"bf16", true},          {"f32", false},
        {"spike", true},         {"", true},
        {"op=toy", true},        {"op=other", false},
        {"op=other,toy", true},  {"op!=toy", false},
        {"op!=other", true},     {"dt=bf16", true},
        {"dt=f16", false},       {"dt=f32,bf16", true},
        {"dt!=bf16,f16", false}, {"dt!=f32,f16", true},
        {"data!=normal", true},  {"d=4096", true},
        {"d=409", false},        {"d!=4096", false},
        {"d=1,4096", true},      {"d>=4096", true},
        {"d>=4097", false},      {"d>4095", true},
        {"d>4096", false},       {"d<=4096", true},
        {"d<=4095", false},      {"d<4097", true},
        {"d<4096", false},       {"d<99999999999", true},
        {"rows=007", true},      {"eps=1e-6", true},
        {"eps=0.000001", true},  {"eps<1e-5", true},
        {"eps>1e-6", false},     {"eps>=1e-6", true},
        {"weight=1", true},      {"weight=0", false},
        {"seed=1", true},        {"seq=3", false},
        {"seq!=3", false},       {"scale>0", false},
        {"data=rising", false},  {"data=rising,normal", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        cr_expect_eq(selected(line, &table[i].word, 1), table[i].matches, "%s", table[i].word);
}

Test(harness_case, all_words_of_a_filter_must_match) {
    static const char *const both[] = {"d>=4096", "dt=bf16"}, *const one[] = {"d>=4096", "dt=f32"};
    static const char *const other[] = {"dt=f32", "d>=4096"};
    static const char *const line = "toy dt=bf16 d=8192";
    cr_expect(selected(line, both, 2));
    cr_expect_not(selected(line, one, 2));
    cr_expect_not(selected(line, other, 2));
    cr_expect(selected(line, one, 0));
}

static void expect_wrong_filter(const char *word, const char *said) {
    const char *words[] = {"nothing_has_this", word};
    assay_case c = parsed("toy dt=bf16 d=8192");
    bool matches = false;
    cr_expect_eq(assay_case_matches(&c, words, 2, &matches), ASSAY_ERR_ARGUMENT, "'%s' was taken",
                 word);
    cr_expect(strstr(assay_last_error(), said), "'%s': '%s' is not in '%s'", word, said,
              assay_last_error());
}

Test(harness_case, wrong_filters_are_refused) {
    expect_wrong_filter("row=1", "no op has the key 'row'; of toy, did you mean 'rows'?");
    expect_wrong_filter("=1", "no op has the key ''");
    expect_wrong_filter("data!=nromal", "did you mean 'normal'?");
    expect_wrong_filter("data=normal,nromal", "did you mean 'normal'?");
    expect_wrong_filter("data=normal,", "unknown word");
    expect_wrong_filter("data>normal", "data is a word; it has no < or >");
    expect_wrong_filter("d>=1,2", "take one value");
    expect_wrong_filter("d=", "is not a decimal integer");
    expect_wrong_filter("d=4k", "is not a decimal integer");
    expect_wrong_filter("d<99999999999999999999", "does not fit 64 bits");
    expect_wrong_filter("seq=x", "is not a decimal integer");
    expect_wrong_filter("op=tyo", "did you mean 'toy'?");
    expect_wrong_filter("op>toy", "op has no < or >");
    char lengthy[ASSAY_CASE_LINE + 1];
    memset(lengthy, 'a', ASSAY_CASE_LINE);
    lengthy[ASSAY_CASE_LINE] = '\0';
    expect_wrong_filter(lengthy, "is longer than 511 characters");
}

Test(harness_case, near_names_are_suggested) {
    static const char *const names[] = {"rows", "d", "tail_spike", "check", NULL};
    static const struct {
        const char *word, *nearest;
    } table[] = {
        {"row", "rows"}, {"rosw", "rows"},   {"columns", NULL},
        {"x", NULL},     {"chekc", "check"}, {"tailspike", "tail_spike"},
        {"", NULL},      {"rowss", "rows"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *found = assay_name_nearest(table[i].word, assay_name_in_array, names);
        cr_expect(found == table[i].nearest ||
                      (found && table[i].nearest && strcmp(found, table[i].nearest) == 0),
                  "'%s' suggests '%s'", table[i].word, found ? found : "nothing");
    }
}
