# Cases, comparator, reports and command line, on made-up ops and a runner that runs nothing: these
# compile the sources under test themselves, so that no real op or kernel comes between.
set(harness ${PROJECT_SOURCE_DIR}/tests/harness)
set(tools ${PROJECT_SOURCE_DIR}/tools)

# Every other command is a stub that notes its name: main.c is tested, they are not.
set(stubs ${CMAKE_CURRENT_BINARY_DIR}/command_stubs.c)
set(text "#include \"commands.h\"\n#include \"toy_run.h\"\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tools}/commands.h)
file(STRINGS ${tools}/commands.h declared REGEX "^int cmd_")
foreach(declaration IN LISTS declared)
    string(REGEX REPLACE "^int cmd_([a-z_]+).*" "\\1" name "${declaration}")
    if(NOT name MATCHES "^(check|list)$")
        string(APPEND text "int cmd_${name}(int argc, char **argv) {\n"
                           "    (void)argc, (void)argv;\n"
                           "    toy_command_ran = \"${name}\";\n    return 40;\n}\n")
    endif()
endforeach()
file(CONFIGURE OUTPUT ${stubs} CONTENT "${text}")

assay_unit(harness 63
    SOURCES case.c compare.c pattern.c report.c cli.c toy_op.c toy_run.c ${stubs}
            ${harness}/names.c ${harness}/case.c ${harness}/case_value.c ${harness}/case_format.c
            ${harness}/case_parse.c ${harness}/case_filter.c ${harness}/compare.c
            ${harness}/tally.c ${harness}/pattern.c ${harness}/failure_text.c ${harness}/result.c
            ${harness}/report_json.c ${harness}/report_table.c ${harness}/report_rows.c
            ${harness}/counters.c
            ${harness}/whole_file.c ${harness}/progress.c
            ${harness}/launcher.c
            ${tools}/main.c ${tools}/options.c ${tools}/filter.c ${tools}/cmd_check.c
            ${tools}/cmd_list.c ${tools}/target.c ${tools}/shell_text.c
    LIBS assay_formats PkgConfig::CJSON m)
target_include_directories(unit_harness PRIVATE . ${harness} ${tools})
target_compile_definitions(unit_harness PRIVATE PROJECT_VERSION="${PROJECT_VERSION}")
set_source_files_properties(${tools}/main.c PROPERTIES COMPILE_DEFINITIONS main=assay_main)
