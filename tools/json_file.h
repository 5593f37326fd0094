/* Writing a report that is whole or not there. */
#ifndef ASSAY_TOOLS_JSON_FILE_H
#define ASSAY_TOOLS_JSON_FILE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/* Prints `root` to a temporary name beside `path`, renames it, and deletes `root`. On failure says
 * so on standard error, after "assay COMMAND: ", and leaves `path` as it was. What is no regular
 * file (/dev/null, a pipe) is written in place. */
bool json_file_write(const char *command, const char *path, cJSON *root);

#endif
