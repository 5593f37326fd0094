/* Saving .npy files, version 1.0. */
#include "npy_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Magic, version, length and the dict, padded so that data start at a multiple of 64. */
static size_t header(assay_npy_type type, int rank, const int64_t *shape, char text[512]) {
    static const char *const descr[ASSAY_NPY_TYPE_COUNT] = {
        [ASSAY_NPY_F16] = "<f2",  [ASSAY_NPY_F32] = "<f4", [ASSAY_NPY_F64] = "<f8",
        [ASSAY_NPY_BF16] = "<V2", [ASSAY_NPY_U16] = "<u2",
    };
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    size_t n = 10;
    n += (size_t)snprintf(text + n, 512 - n, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          descr[type]);
    for (int i = 0; i < rank; i++)
        n += (size_t)snprintf(text + n, 512 - n, "%s%lld%s", i > 0 ? ", " : "", (long long)shape[i],
                              rank == 1 ? "," : "");
    n += (size_t)snprintf(text + n, 512 - n, "), }");
    while (n % 64 != 63) text[n++] = ' ';
    text[n++] = '\n';
    text[8] = (char)((n - 10) & 0xff);
    text[9] = (char)((n - 10) >> 8);
    return n;
}

static bool write_all(int fd, const void *data, size_t bytes) {
    for (const char *p = data; bytes > 0;) {
        ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* A new file beside `path`; its name in `name`. -1 and errno on failure. */
static int open_temporary(const char *path, char name[PATH_MAX]) {
    for (int attempt = 0; attempt < 100; attempt++) {
        int n = snprintf(name, PATH_MAX, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        if (n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

assay_status assay_npy_save(const char *path, assay_npy_type type, int rank, const int64_t *shape,
                            const void *data) {
    if (assay_npy_type_size(type) == 0 || rank < 0 || rank > ASSAY_NPY_MAX_RANK)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "%s: found type %d and rank %d, expected a type of "
                          "assay_npy_type and 0 to 8 dimensions",
                          path, (int)type, rank);
    int64_t bytes = (int64_t)assay_npy_type_size(type);
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0 || __builtin_mul_overflow(bytes, shape[i], &bytes))
            return assay_fail(ASSAY_ERR_OVERFLOW,
                              "%s: shape: found %lld in dimension %d, expected "
                              "a product below 2^63 bytes",
                              path, (long long)shape[i], i);

    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* a rename would replace it */
        return assay_npy_refuse_file(ASSAY_ERR_IO, path, "file", "a folder, device or pipe",
                                     "a regular file, or none");
    char text[512], temporary[PATH_MAX];
    size_t length = header(type, rank, shape, text);
    int fd = open_temporary(path, temporary);
    if (fd < 0) return assay_npy_refuse_io(path, "file", errno, "a folder that can be written");
    bool ok = write_all(fd, text, length) && write_all(fd, data, (size_t)bytes);
    int error = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (ok && rename(temporary, path) == 0) return ASSAY_OK;
    if (ok) error = errno;
    unlink(temporary);
    return assay_npy_refuse_io(path, "file", error, "a file that can be written whole");
}
