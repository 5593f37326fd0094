/* Writing a report that is whole or not there. */
#ifndef ASSAY_TOOLS_JSON_FILE_H
#define ASSAY_TOOLS_JSON_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

/* Where a command writes its text: "--json -" takes standard output for the report. */
static inline FILE *json_file_text(const char *path) {
    return path && strcmp(path, "-") == 0 ? stderr : stdout;
}

/* Prints `root` to a temporary name beside `path`, renames it, and deletes `root`. On failure says
 * so on standard error, after "assay COMMAND: ", and leaves `path` as it was. What is no regular
 * file (/dev/null, a pipe) is written in place; "-" is standard output. */
bool json_file_write(const char *command, const char *path, cJSON *root);

#endif
