/* Mutation testing's own rules: what an entry must look like, where it may be planted, what each
 * status counts as. Planting and killing for real is `ctest -L mutants`. */
#include "mutate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "mutate_internal.h"
#include "text_file.h"

static char folder[64], path[128];

static void make_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/assay-mutate-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fault.mutant", folder);
}

static void remove_folder(void) {
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(mutate, .timeout = 20, .init = make_folder, .fini = remove_folder);

#define HEAD                                                                                       \
    "# planted by the tests\n"                                                                     \
    "id: fault\ntitle: a fault\nfile: src/x.c\nclass: STRIDE OOB\nsource: planted\n"
#define WITNESS "witness: rms_norm dt=bf16 rows=1 d=8 eps=0 data=normal seed=1\n"
#define REST "fault: reads\n  too far\nanchor:\n|a + b;\nreplacement:\n|a - b;\n"

static void write_file(const char *name, const char *text) {
    cr_assert_eq(assay_text_write(name, text, strlen(text)), ASSAY_OK, "%s", assay_last_error());
}

static assay_status read_entry(const char *text, assay_mutant *m) {
    write_file(path, text);
    return assay_mutant_read(path, m);
}

Test(mutate, an_entry_is_read_whole) {
    assay_mutant m;
    cr_assert_eq(read_entry(HEAD WITNESS "chip: mi300x\n"
                                         "fault: reads\n  too far\n\nanchor:\n|  a;\n|\n|b;\n"
                                         "replacement:\n",
                            &m),
                 ASSAY_OK, "%s", assay_last_error());
    cr_expect_str_eq(m.id, "fault");
    cr_expect_str_eq(m.class, "STRIDE OOB");
    cr_expect_str_eq(m.fault, "reads too far");
    cr_expect_str_eq(m.anchor, "  a;\n\nb;");
    cr_expect_str_eq(m.replacement, "");
    cr_expect_str_eq(m.chip, "mi300x");
    cr_expect_null(m.suites);
    cr_expect(m.hash != 0);
    assay_mutant_free(&m);
}

Test(mutate, a_wrong_entry_is_named_by_file_and_line) {
    static const struct {
        const char *text, *said;
    } table[] = {
        {HEAD WITNESS "anchr:\n|x\n",
         "fault.mutant:8: unknown field 'anchr'; did you mean 'anchor'"},
        {HEAD WITNESS REST "title: again\n", ":14: a second field title"},
        {HEAD WITNESS "fault: x\nanchor:\n|a\n", "missing field replacement"},
        {HEAD REST, "expected either a witness or suites"},
        {HEAD WITNESS "suites: compare\n" REST, "expected either a witness or suites"},
        {HEAD "suites: compare\nchip: h200\n" REST, "suites go with neither chip nor equivalent"},
        {HEAD WITNESS "chip:\n" REST, ":8: an empty field chip"},
        {HEAD WITNESS "fault: x\nanchor: a\n", ":9: anchor: its text goes below"},
        {HEAD "|x\n", ":7: a barred line outside"},
        {HEAD WITNESS "no colon\n", ":8: expected \"key: value\""},
        {"  x\n", ":1: a continuation of nothing"},
        {"id: other\ntitle: t\nfile: f\nclass: NUM\nsource: s\n" WITNESS REST,
         ":1: the id must be the file's name, found other"},
        {"id: fault\ntitle: t\nfile: a b\n", ":3: file: expected one word"},
        {"id: fault\ntitle: t\nfile: ../x\nclass: NUM\nsource: s\n" WITNESS REST,
         "expected a path inside the tree"},
        {"id: fault\ntitle: t\nfile: x\nclass: SLOW\nsource: s\n" WITNESS REST,
         "unknown class in SLOW"},
        {HEAD WITNESS "fault: x\nanchor:\nreplacement:\n|a\n", "an empty anchor"},
        {"", "missing field id"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assay_mutant m;
        cr_expect_eq(read_entry(table[i].text, &m), ASSAY_ERR_FORMAT, "entry %zu", i);
        cr_expect(strstr(assay_last_error(), table[i].said), "'%s' is not in '%s'", table[i].said,
                  assay_last_error());
        cr_expect(strstr(assay_last_error(), path), "%s", assay_last_error());
        cr_expect_str_eq(m.id, "fault"); /* what is left to report it by */
        cr_expect_null(m.file);
        assay_mutant_free(&m);
    }
}

Test(mutate, an_anchor_counts_overlaps) {
    const char *at, text[] = "aba aba ababa";
    cr_expect_eq(assay_anchor_count(text, "aba", &at), 4);
    cr_expect_eq(at, text);
    cr_expect_eq(assay_anchor_count(text, "b a", &at), 0);
    cr_expect_null(at);
    cr_expect_eq(assay_anchor_count(text, "aba abab", &at), 1);
    cr_expect_eq(at, text + 4);
}

/* Plants HEAD's mutant in a file of `text`; `planted` is what must come of it, NULL: refused. */
static void plant(const char *entry, const char *text, const char *planted) {
    char source[192], overlay[192], name[256], *got;
    size_t size;
    assay_mutant m;
    snprintf(source, sizeof source, "%s/root/src/x.c", folder);
    snprintf(overlay, sizeof overlay, "%s/tree", folder);
    write_file(source, text);
    cr_assert_eq(read_entry(entry, &m), ASSAY_OK, "%s", assay_last_error());
    char root[128];
    snprintf(root, sizeof root, "%s/root", folder);
    cr_expect_eq(assay_mutant_plant(&m, root, NULL), planted ? ASSAY_OK : ASSAY_ERR_FORMAT);
    cr_expect_neq(access(overlay, F_OK), 0, "a look wrote something");
    const assay_status status = assay_mutant_plant(&m, root, overlay);
    cr_expect_eq(status, planted ? ASSAY_OK : ASSAY_ERR_FORMAT, "%s", assay_last_error());
    snprintf(name, sizeof name, "%s/src/x.c", overlay);
    if (planted) {
        cr_assert_eq(assay_text_read(name, &got, &size), ASSAY_OK);
        cr_expect_str_eq(got, planted);
        free(got);
    } else {
        cr_expect_neq(access(name, F_OK), 0, "a refused mutant left a file");
    }
    char clear[256];
    snprintf(clear, sizeof clear, "rm -rf '%s'", overlay);
    cr_assert_eq(system(clear), 0);
    cr_assert_eq(assay_text_read(source, &got, &size), ASSAY_OK);
    cr_expect_str_eq(got, text, "the source was touched");
    free(got);
    assay_mutant_free(&m);
}

Test(mutate, an_anchor_must_match_exactly_once) {
    plant(HEAD WITNESS REST, "x = a * b;\n", NULL);
    cr_expect(strstr(assay_last_error(), "matches 0 times in src/x.c"), "%s", assay_last_error());
    plant(HEAD WITNESS REST, "x = a + b;\ny = a + b;\n", NULL);
    cr_expect(strstr(assay_last_error(), "matches 2 times"), "%s", assay_last_error());
    plant(HEAD WITNESS "fault: x\nanchor:\n|a\nreplacement:\n|a\n", "a", NULL);
    cr_expect(strstr(assay_last_error(), "the replacement is the anchor"));
}

Test(mutate, a_mutant_goes_into_the_overlay_alone) {
    plant(HEAD WITNESS REST, "x = a + b;\ny = 1;\n", "x = a - b;\ny = 1;\n");
}

Test(mutate, a_deletion_and_several_lines) {
    plant(HEAD WITNESS "fault: x\nanchor:\n|one\n|two\nreplacement:\n", "zero\none\ntwo\nthree\n",
          "zero\n\nthree\n");
    plant(HEAD WITNESS "fault: x\nanchor:\n|one\nreplacement:\n|1\n|  2\n", "one", "1\n  2");
}

static int code_of(int64_t killed, int64_t survived, int64_t equivalent, bool declared,
                   int64_t refused, int64_t not_run) {
    const int64_t counts[] = {killed, survived, equivalent, refused, not_run};
    assay_mutate_totals totals = {.applied = 0};
    for (int s = 0; s < ASSAY_MUTANT_STATUS_COUNT; s++) {
        assay_mutant_row row = {.status = (assay_mutant_status)s, .declared = declared};
        for (int64_t i = 0; i < counts[s]; i++) assay_mutate_count(&totals, &row);
        cr_expect_eq(totals.statuses[s], counts[s]);
    }
    cr_expect_eq(totals.applied, killed + survived + not_run);
    return assay_mutate_exit_code(&totals);
}

Test(mutate, only_killed_mutants_make_a_pass) {
    cr_expect_eq(code_of(3, 0, 0, false, 0, 0), 0);
    cr_expect_eq(code_of(3, 1, 0, false, 0, 0), 1);
    cr_expect_eq(code_of(0, 0, 0, false, 0, 0), 2);
    cr_expect_eq(code_of(3, 0, 0, false, 1, 0), 3);
    cr_expect_eq(code_of(3, 0, 0, false, 0, 1), 3);
    cr_expect_eq(code_of(3, 1, 0, false, 0, 1), 3);
    cr_expect_eq(code_of(3, 0, 1, true, 0, 0), 0, "declared, with a reason");
    cr_expect_eq(code_of(3, 0, 1, false, 0, 0), 3, "the entry shows nothing");
    cr_expect_eq(code_of(0, 0, 1, true, 0, 0), 0);
}

Test(mutate, other_bits_alone_are_a_column_not_a_kill) {
    assay_mutate_totals totals = {.applied = 0};
    assay_mutant_row row = {.status = ASSAY_MUTANT_SURVIVED, .replay_only = true};
    assay_mutate_count(&totals, &row);
    cr_expect_eq(totals.replay_only, 1);
    cr_expect_eq(totals.statuses[ASSAY_MUTANT_KILLED], 0);
    cr_expect_eq(assay_mutate_exit_code(&totals), 1);
}

Test(mutate, a_catalogue_keeps_what_it_cannot_read) {
    assay_catalogue c;
    char other[128];
    write_file(path, HEAD WITNESS REST);
    snprintf(other, sizeof other, "%s/broken.mutant", folder);
    write_file(other, "nonsense\n");
    snprintf(other, sizeof other, "%s/notes.txt", folder);
    write_file(other, "no entry\n");
    cr_assert_eq(assay_catalogue_read(folder, &c), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(c.count, 2);
    cr_expect_str_eq(c.mutants[0].id, "broken");
    cr_expect(c.troubles[0] && strstr(c.troubles[0], "broken.mutant:1:"));
    cr_expect_null(c.troubles[1]);
    const char *const words[] = {"STRIDE", "src/"}, *const none[] = {"STRIDE", "else"};
    cr_expect(assay_mutant_matches(&c.mutants[1], words, 2));
    cr_expect_not(assay_mutant_matches(&c.mutants[1], none, 2));
    cr_expect(assay_mutant_matches(&c.mutants[1], none, 0));
    assay_catalogue_free(&c);
}

Test(mutate, chips_may_be_limited) {
    assay_chip chip;
    cr_assert_eq(mutate_chip("h200 max_grid_x=3 max_block_threads=256", &chip), ASSAY_OK);
    cr_expect_eq(chip.max_grid_x, 3u);
    cr_expect_eq(chip.max_block_threads, 256u);
    cr_assert_eq(mutate_chip(NULL, &chip), ASSAY_OK);
    cr_expect_str_eq(chip.name, "h200");
    cr_expect_eq(mutate_chip("h300", &chip), ASSAY_ERR_FORMAT);
    cr_expect_eq(mutate_chip("h200 max_luck=3", &chip), ASSAY_ERR_FORMAT);
}

static void built_in(void) {}

/* A library that lacks a launcher must not fall back to the kernel that was not asked about. */
Test(mutate, a_kernel_library_replaces_or_refuses) {
    void *kernels = NULL;
    assay_target target = {.backend = ASSAY_SIMT};
    cr_expect_eq(assay_launcher(&target, "assay_rms_norm", built_in), built_in);
    cr_assert_eq(assay_kernels_open("libm.so.6", &kernels), ASSAY_OK, "%s", assay_last_error());
    target.kernels = kernels;
    cr_expect_null(assay_launcher(&target, "assay_rms_norm", built_in));
    cr_expect(strstr(assay_last_error(), "no launcher \"assay_rms_norm\""));
    cr_expect(assay_launcher(&target, "sqrt", built_in));
    assay_kernels_close(kernels);
    cr_expect_eq(assay_kernels_open("/nowhere.so", &kernels), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "/nowhere.so"));
}
