/* The HTML report: hostile text stays text, numbers are the run's, pictures are well-formed. */
#include "report_html.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "png.h"
#include "report_kit.h"
#include "text_file.h"

static assay_report_page the_page = {.date = "<today>"};

static assay_status write_page(const char *path, const assay_report *report) {
    the_page.report = report;
    return assay_report_html(path, &the_page);
}

static void expect_parts(const char *text, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        cr_expect(strstr(text, parts[i]), "no %s in %s", parts[i], text);
}

Test(report_html, the_page_has_everything_and_no_markup_from_outside) {
    report_kit k;
    report_kit_start(&k);
    const char *text = report_kit_write(&k, write_page);
    static const char *const parts[] = {
        "<!doctype html>\n<html lang=en>",
        "<meta name=viewport content=\"width=device-width,initial-scale=1\">",
        "default-src 'none'",
        "<title>assay check: HARNESS_ERROR</title>",
        "<h1>assay check: <span class=bad>HARNESS_ERROR</span></h1>\n"
        "<p>1 harness_error, 1 failed, 1 mistrusted, 1 refused, 2 passed, 1 skipped of 7 cases</p>",
        "<dt>largest slack</dt><dd>0.75</dd>",
        "<tr><th scope=row>toy<td>f32<td>-<td class=n>5<td class=n>2<td class=\"n bad\">1"
        "<td class=\"n bad\">1<td class=\"n bad\">1<td class=n>50<td class=n>0.75<td class=n>2.50",
        "<pre>y: &lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;\nsecond \xef\xbf\xbd "
        "line</pre>",
        "assay repro --x --trust &#39;toy dt=f32 rows=4 d=8 data=normal&#39;",
        "<code>assay check &lt;&quot;&#39;&gt;</code>",
        "<code>ASSAY_SEED=&lt;5&gt;</code>",
        "<code>18446744073709551615</code>",
        "<code>&lt;today&gt;</code>",
        "<tr><td class=c>toy dt=f32 rows=2 d=8 data=normal<td><span class=bad>FAILED</span>"
        "<td class=n>10<td class=n>0.25<td class=n>500.0\n",
        "</main></body></html>\n",
    };
    expect_parts(text, parts, sizeof parts / sizeof parts[0]);
    cr_expect_null(strstr(text, "<script"));
    cr_expect_null(strstr(text, "http://"));
    cr_expect_null(strstr(text, "https://"));
    cr_expect_eq(report_kit_count(text, "<article>"), 4,
                 "what was skipped or passed is no failure");
    cr_expect_eq(report_kit_count(text, "<td class=c>"), 7);
    cr_expect_eq(report_kit_count(text, "<details>"), 4, "three groups, and more failures");
    cr_expect(strstr(text, "<summary>1 more</summary>"));
    report_kit_end(&k);
}

Test(report_html, fifty_failures_are_told_and_the_rest_counted) {
    report_kit k;
    report_kit_start(&k);
    for (int i = 0; i < 1100; i++)
        report_kit_add(&k, "toy rows=100", ASSAY_FAILED, "bounds", "many", NAN);
    const char *text = report_kit_write(&k, write_page);
    cr_expect_eq(report_kit_count(text, "<article>"), 50);
    cr_expect(strstr(text, "<p>1,054 others did not pass"));
    cr_expect_eq(report_kit_count(text, "<td class=c>"), 1107);
    report_kit_end(&k);
}

Test(report_html, histograms_count_every_value_once) {
    assay_histogram h = {.zero = 0};
    static const struct {
        double slack;
        int bin; /* -1: zero, -2: over, -3: unknown */
    } table[] = {{0, -1},    {-0.0, -1},  {1e-300, 0}, {0.05, 0},       {0.0500001, 1}, {0.5, 9},
                 {0.95, 18}, {0.951, 19}, {1, 19},     {1.0000001, -2}, {HUGE_VAL, -2}, {NAN, -3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const assay_histogram before = h;
        assay_histogram_add(&h, table[i].slack);
        for (int b = 0; b < ASSAY_HISTOGRAM_BINS; b++)
            cr_expect_eq(h.bins[b] - before.bins[b], b == table[i].bin, "%g, bin %d",
                         table[i].slack, b);
        cr_expect_eq(h.zero - before.zero, table[i].bin == -1, "%g", table[i].slack);
        cr_expect_eq(h.over - before.over, table[i].bin == -2, "%g", table[i].slack);
        cr_expect_eq(h.unknown - before.unknown, table[i].bin == -3, "%g", table[i].slack);
    }
    cr_expect_eq(assay_histogram_total(&h), 11);
}

/* Checked byte by byte against what Python's zlib makes of the same picture. */
Test(report_html, a_png_is_the_bytes_of_the_standard) {
    static const unsigned char pixels[4] = {0, 1, 1, 0}, palette[2][3] = {{0, 0, 0}, {255, 0, 128}};
    char buffer[512] = "";
    FILE *f = fmemopen(buffer, sizeof buffer, "w");
    assay_png_data_uri(f, pixels, 2, 2, palette, 2);
    fclose(f);
    cr_expect_str_eq(buffer, "data:image/png;base64,"
                             "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAABlBMVEUAAAD/AID2"
                             "Rw4CAAAAEUlEQVR4AQEGAPn/AAABAAEAAAwAA0i7YjsAAAAASUVORK5CYII=");
}

static const char kills[] =
    "{\"schema\":\"assay.mutate/1\",\"totals\":{\"applied\":3,\"killed\":2,\"survived\":1},"
    "\"rows\":[{\"id\":\"a\",\"class\":\"SPEC OOB\",\"status\":\"killed\",\"killed_by\":\"bounds\","
    "\"case\":\"line a\"},{\"id\":\"b\",\"class\":\"SPEC\",\"status\":\"killed\",\"killed_by\":"
    "\"bounds\",\"case\":\"<b>\"},{\"id\":\"<c>\",\"class\":\"SPEC\",\"status\":\"survived\","
    "\"killed_by\":\"\",\"message\":\"why\"}]}";

Test(report_html, the_kill_matrix_counts_by_class_and_check) {
    report_kit k;
    char path[96];
    report_kit_start(&k);
    snprintf(path, sizeof path, "%s.json", k.folder);
    the_page.mutants = path;
    cr_assert_eq(assay_text_write(path, kills, strlen(kills)), ASSAY_OK);
    const char *text = report_kit_write(&k, write_page);
    static const char *const parts[] = {
        "<p>3 planted faults: 2 killed, 1 survived.</p>",
        "<th scope=row>SPEC<td class=\"n good\">2<td class=\"n bad\">1\n",
        "<th scope=row>OOB<td class=\"n good\">1<td class=\"n quiet\">0\n",
        "<tr><th scope=row>b<td>SPEC<td class=good>killed<td>bounds<td class=c>&lt;b&gt;\n",
        "<tr><th scope=row>&lt;c&gt;<td>SPEC<td class=bad>survived<td><td class=c>why\n",
    };
    expect_parts(text, parts, sizeof parts / sizeof parts[0]);
    unlink(k.path);

    cr_assert_eq(assay_text_write(path, "{\"schema\":\"other\"}", 18), ASSAY_OK);
    cr_expect_eq(write_page(k.path, &k.report), ASSAY_ERR_FORMAT);
    cr_assert_eq(assay_text_write(path, "{", 1), ASSAY_OK);
    cr_expect_eq(write_page(k.path, &k.report), ASSAY_ERR_FORMAT);
    unlink(path);
    cr_expect_eq(write_page(k.path, &k.report), ASSAY_ERR_IO);
    cr_expect_neq(access(k.path, F_OK), 0, "a page that could not be made whole appeared");
    report_kit_end(&k);
}
