# Reports on made-up ops.
set(harness ${PROJECT_SOURCE_DIR}/tests/harness)
assay_unit(reports 11
    SOURCES report_files.c report_html.c report_kit.c toy_op.c
            ${harness}/names.c ${harness}/case.c ${harness}/case_value.c ${harness}/case_format.c
            ${harness}/case_parse.c ${harness}/result.c ${harness}/text_file.c
            ${harness}/whole_file.c ${harness}/markup.c ${harness}/report_rows.c
            ${harness}/report_junit.c ${harness}/report_markdown.c ${harness}/report_html.c
            ${harness}/report_html_style.c ${harness}/report_html_charts.c
            ${harness}/report_html_rows.c ${harness}/report_html_kills.c ${harness}/histogram.c
            ${harness}/png.c
    LIBS assay_formats PkgConfig::CJSON m)
target_include_directories(unit_reports PRIVATE . ${harness})
target_compile_definitions(unit_reports PRIVATE PROJECT_VERSION="${PROJECT_VERSION}")
