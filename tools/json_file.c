#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool json_file_write(const char *command, const char *path, cJSON *root) {
    char temporary[4096];
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (text && strcmp(path, "-") == 0) {
        const bool printed = printf("%s\n", text) > 0 && fflush(stdout) == 0;
        cJSON_free(text);
        return printed;
    }
    /* A device or pipe is written to: renaming would put a file in its place. */
    struct stat info;
    const bool in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    const int n = in_place
                      ? snprintf(temporary, sizeof temporary, "%s", path)
                      : snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    errno = text ? ENAMETOOLONG : ENOMEM;
    FILE *file = text && n < (int)sizeof temporary ? fopen(temporary, "w") : NULL;
    bool ok = file && fputs(text, file) >= 0 && fputc('\n', file) >= 0;
    if (file && fclose(file) != 0) ok = false;
    ok = ok && (in_place || rename(temporary, path) == 0);
    if (!ok) {
        fprintf(stderr, "assay %s: %s: the report could not be written: %s\n", command, path,
                strerror(errno));
        if (file && !in_place) unlink(temporary);
    }
    cJSON_free(text);
    return ok;
}
