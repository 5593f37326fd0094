/* Reports of finished runs: hostile text stays text, counts are the run's. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "markup.h"
#include "report_files.h"
#include "report_kit.h"

static const char *markup(const char *text, bool attribute) {
    static char buffer[512];
    FILE *f = fmemopen(buffer, sizeof buffer, "w");
    if (attribute)
        assay_markup_attribute(f, text);
    else
        assay_markup_text(f, text);
    fclose(f);
    return buffer;
}

Test(report_files, markup_escapes_everything) {
    cr_expect_str_eq(markup("<b a=\"x\" c='y'>&amp;</b>", false),
                     "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;");
    cr_expect_str_eq(markup("]]>", false), "]]&gt;");
    cr_expect_str_eq(markup("a\nb\tc\rd", false), "a\nb\tc&#13;d");
    cr_expect_str_eq(markup("a\nb\tc\rd", true), "a&#10;b&#9;c&#13;d");
    cr_expect_str_eq(markup("\x01\x1b[31m\x7f", false), "\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd");
    cr_expect_str_eq(markup("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", false),
                     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    /* Cut short, overlong, a surrogate, beyond U+10FFFF, a noncharacter of XML. */
    cr_expect_str_eq(markup("\xc3", false), "\xef\xbf\xbd");
    cr_expect_str_eq(markup("\xc0\xbc", false), "\xef\xbf\xbd\xef\xbf\xbd");
    cr_expect_str_eq(markup("\xed\xa0\x80", false), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    cr_expect_str_eq(markup("\xf4\x90\x80\x80", false),
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    cr_expect_str_eq(markup("\xef\xbf\xbe", false), "\xef\xbf\xbd");
}

Test(report_files, counts_are_grouped) {
    static const struct {
        int64_t count;
        const char *text;
    } table[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {43598334, "43,598,334"},
                 {-1234, "-1,234"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char buffer[32] = "";
        FILE *f = fmemopen(buffer, sizeof buffer, "w");
        assay_markup_count(f, table[i].count);
        fclose(f);
        cr_expect_str_eq(buffer, table[i].text);
    }
}

Test(report_files, junit_is_whole_and_counts_right) {
    report_kit k;
    report_kit_start(&k);
    const char *text = report_kit_write(&k, assay_report_junit);
    static const char *const parts[] = {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<testsuites name=\"assay check\" tests=\"7\" failures=\"3\" errors=\"1\" skipped=\"1\" "
        "time=\"3.500\">",
        "<testsuite name=\"toy.f32\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"0\" "
        "time=\"2.500\">",
        "<testsuite name=\"toy.bf16\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" ",
        "<testsuite name=\"other.f32\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" ",
        "<property name=\"command\" value=\"assay check &lt;&quot;&#39;&gt;\"/>",
        "<testcase name=\"toy dt=f32 rows=1 d=8 data=normal\" classname=\"toy.f32\" "
        "time=\"0.500000\"/>",
        "<failure type=\"FAILED\" message=\"bounds: y: &lt;script&gt;alert(1)&lt;/script&gt; "
        "&amp; ]]&gt;\">y: &lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;\nsecond \xef\xbf\xbd "
        "line\nkernel: toy&lt;f32&gt;\nrepro: assay repro --x "
        "&#39;toy dt=f32 rows=2 d=8 data=normal&#39;</failure>",
        "<error type=\"HARNESS_ERROR\" message=\"no device\">",
        "<skipped message=\"no GPU\"/>",
        "assay repro --x --trust &#39;toy dt=f32 rows=4",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_expect(strstr(text, parts[i]), "no %s in %s", parts[i], text);
    cr_expect_eq(report_kit_count(text, "<testcase "), 7);
    cr_expect_eq(report_kit_count(text, "</testcase>"), 5, "two passed");
    report_kit_end(&k);
}

Test(report_files, markdown_is_short_and_keeps_its_fences) {
    report_kit k;
    report_kit_start(&k);
    for (int i = 0; i < 10; i++)
        report_kit_add(&k, "toy rows=100", ASSAY_FAILED, "bounds", "```\n````\nescape?", NAN);
    const char *text = report_kit_write(&k, assay_report_markdown);
    static const char *const parts[] = {
        "### assay check: HARNESS_ERROR\n\n1 harness_error, 11 failed, ",
        "| toy | f32 | - | 15 | 2 | 11 | 1 | 1 | 150 | 0.75 |\n",
        "**FAILED** `toy dt=f32 rows=2 d=8 data=normal`\n\n```text\ncheck: bounds\ny: <script>",
        "</script> & ]]>\nsecond \xef\xbf\xbd line\nrepro: ",
        "```text\nno device\nrepro: ",
        "\n`````text\ncheck: bounds\n```\n````\nescape?\nrepro: ",
        "\n9 more did not pass.\n",
        "Largest slack (error over bound): 0.75, in `toy dt=f32 rows=1 d=8 data=normal`",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_expect(strstr(text, parts[i]), "no %s in %s", parts[i], text);
    report_kit_end(&k);
}

Test(report_files, a_report_that_cannot_be_written_says_so) {
    report_kit k;
    report_kit_start(&k);
    cr_expect_eq(assay_report_junit("/nowhere/at/all.xml", &k.report), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "/nowhere/at/all.xml"), "%s", assay_last_error());
    cr_expect_eq(assay_report_markdown("/dev/full", &k.report), ASSAY_ERR_IO);
    k.rows.lost = true;
    cr_expect_eq(assay_report_junit("/dev/null", &k.report), ASSAY_ERR_MEMORY);
    report_kit_end(&k);
}

Test(report_files, the_worst_row_is_a_failure_or_the_largest_slack) {
    report_kit k;
    report_kit_start(&k);
    const assay_report_row *worst = assay_report_worst(&k.rows, 1000);
    cr_assert_not_null(worst);
    cr_expect_eq(worst->word, ASSAY_FAILED);
    cr_expect_eq(assay_report_worst(&k.rows, 9), NULL, "all have ten outputs");
    assay_report_rows_free(&k.rows);
    report_kit_add(&k, "toy rows=5", ASSAY_PASSED, "", "", 0.5);
    report_kit_add(&k, "toy rows=6", ASSAY_PASSED, "", "", 0.75);
    report_kit_add(&k, "toy rows=7", ASSAY_PASSED, "", "", NAN);
    report_kit_add(&k, "toy rows=8", ASSAY_MISTRUSTED, "", "", 0.9);
    cr_expect_eq(assay_report_worst(&k.rows, 1000), &k.rows.rows[1]);
    report_kit_add(&k, "toy rows=9", ASSAY_PASSED, "", "", 0.75);
    k.rows.rows[0].outputs = k.rows.rows[4].outputs = 20;
    cr_expect_eq(assay_report_worst(&k.rows, 1000), &k.rows.rows[4], "more outputs, same slack");
    report_kit_add(&k, "toy rows=10", ASSAY_PASSED, "", "", 0.5);
    k.rows.rows[5].outputs = 30;
    cr_expect_eq(assay_report_worst(&k.rows, 1000), &k.rows.rows[4]);
    report_kit_end(&k);
}
