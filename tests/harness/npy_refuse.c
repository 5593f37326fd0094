/* Messages of the .npy reader and writer. */
#include "npy_internal.h"

#include <string.h>

/* Leaves room for the rest of the sentence in the thread's message. */
#define PATH_SHOWN 400

static const char *end_of(const char *path, const char **dots) {
    size_t length = strlen(path);
    *dots = length > PATH_SHOWN ? "..." : "";
    return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

assay_status assay_npy_refuse(const char *path, const char *field, uint64_t at, const char *found,
                              const char *expected) {
    const char *dots, *end = end_of(path, &dots);
    return assay_fail(ASSAY_ERR_FORMAT, "%s%s: %s at byte %llu: found %s, expected %s", dots, end,
                      field, (unsigned long long)at, found, expected);
}

assay_status assay_npy_refuse_file(assay_status status, const char *path, const char *field,
                                   const char *found, const char *expected) {
    const char *dots, *end = end_of(path, &dots);
    return assay_fail(status, "%s%s: %s: found %s, expected %s", dots, end, field, found, expected);
}

assay_status assay_npy_refuse_io(const char *path, const char *field, int error,
                                 const char *expected) {
    char reason[128];
    if (strerror_r(error, reason, sizeof reason) != 0) strcpy(reason, "an unknown error");
    return assay_npy_refuse_file(ASSAY_ERR_IO, path, field, reason, expected);
}
