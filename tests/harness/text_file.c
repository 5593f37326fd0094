#include "text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

assay_status assay_text_read(const char *path, char **text, size_t *size) {
    struct stat info;
    *text = NULL;
    *size = 0;
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) {
        if (file) fclose(file);
        return assay_fail(ASSAY_ERR_IO, "%s: cannot be read: %s", path,
                          errno ? strerror(errno) : "no regular file");
    }
    char *bytes = malloc((size_t)info.st_size + 1);
    size_t got = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    const bool whole = bytes && got == (size_t)info.st_size && !ferror(file);
    fclose(file);
    if (!whole) {
        free(bytes);
        return assay_fail(ASSAY_ERR_IO, "%s: cannot be read whole", path);
    }
    bytes[got] = '\0';
    *text = bytes;
    *size = got;
    return ASSAY_OK;
}

/* mkdir for each folder on the way to path's last part. */
static void make_folders(const char *path) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(folder, 0777); /* a failure shows when the file is opened */
        *p = '/';
    }
}

assay_status assay_text_write(const char *path, const char *text, size_t size) {
    make_folders(path);
    errno = 0;
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(text, 1, size, file) == size;
    if (file && fclose(file)) ok = false;
    return ok ? ASSAY_OK
              : assay_fail(ASSAY_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

char *assay_text_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

uint64_t assay_fnv(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}
