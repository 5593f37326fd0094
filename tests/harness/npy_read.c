/* Loading .npy files: the header is read and judged, the data mapped or, when their order or
 * alignment is not ours, copied. */
#include "npy_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t size;
} types[ASSAY_NPY_TYPE_COUNT] = {
    [ASSAY_NPY_F16] = {"f16", 2},   [ASSAY_NPY_F32] = {"f32", 4}, [ASSAY_NPY_F64] = {"f64", 8},
    [ASSAY_NPY_BF16] = {"bf16", 2}, [ASSAY_NPY_U16] = {"u16", 2},
};

const char *assay_npy_type_name(assay_npy_type type) {
    return (unsigned)type < ASSAY_NPY_TYPE_COUNT ? types[type].name : "?";
}

size_t assay_npy_type_size(assay_npy_type type) {
    return (unsigned)type < ASSAY_NPY_TYPE_COUNT ? types[type].size : 0;
}

/* The start of the file, as much as a header can need, in a block of exactly that size. */
static assay_status read_start(const char *path, int fd, size_t length, unsigned char *bytes) {
    for (size_t done = 0; done < length;) {
        ssize_t n = pread(fd, bytes + done, length - done, (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return assay_npy_refuse_io(path, "file", errno, "readable bytes");
        if (n == 0)
            return assay_npy_refuse(path, "file", done, "its end", "a file that stays whole");
        done += (size_t)n;
    }
    return ASSAY_OK;
}

/* True when the elements lie in row-major order as they are. */
static bool row_major(const assay_npy_header *h) {
    int wide = 0; /* dimensions that have more than one index */
    for (int i = 0; i < h->rank; i++) wide += h->shape[i] > 1;
    return !h->fortran || wide <= 1 || h->elements == 0;
}

/* Copies elements into row-major little-endian order, walking the destination with an odometer. */
static void reorder(const assay_npy_header *h, const unsigned char *from, unsigned char *to) {
    size_t size = assay_npy_type_size(h->type);
    bool straight = row_major(h);
    int64_t index[ASSAY_NPY_MAX_RANK] = {0};
    int64_t stride[ASSAY_NPY_MAX_RANK]; /* of the file, in elements */
    int64_t step = 1;
    for (int i = 0; i < h->rank; i++) {
        int dim = straight ? h->rank - 1 - i : i;
        stride[dim] = step;
        step *= h->shape[dim];
    }
    int64_t source = 0;
    for (int64_t n = 0; n < h->elements; n++) {
        const unsigned char *element = from + (size_t)source * size;
        for (size_t b = 0; b < size; b++)
            to[(size_t)n * size + b] = element[h->big_endian ? size - 1 - b : b];
        for (int dim = h->rank - 1; dim >= 0; dim--) {
            source += stride[dim];
            if (++index[dim] < h->shape[dim]) break;
            source -= stride[dim] * h->shape[dim];
            index[dim] = 0;
        }
    }
}

static assay_status copy_data(const assay_npy_header *h, assay_npy *out) {
    size_t bytes = (size_t)h->elements * assay_npy_type_size(h->type);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    bool fits = pages <= 0 || page <= 0 || bytes / (size_t)page < (size_t)pages;
    out->copy = fits ? malloc(bytes ? bytes : 1) : NULL;
    if (!out->copy)
        return assay_npy_refuse_file(ASSAY_ERR_MEMORY, out->path, "data",
                                     "column-major, big-endian or misaligned elements",
                                     "memory to hold a reordered copy of them");
    reorder(h, (const unsigned char *)out->map + h->data_at, out->copy);
    out->data = out->copy;
    munmap(out->map, out->map_bytes);
    out->map = NULL;
    return ASSAY_OK;
}

static assay_status load(const char *path, int fd, assay_npy *out) {
    struct stat info;
    if (fstat(fd, &info) != 0) return assay_npy_refuse_io(path, "file", errno, "a readable file");
    if (!S_ISREG(info.st_mode))
        return assay_npy_refuse_file(
            ASSAY_ERR_IO, path, "file",
            S_ISDIR(info.st_mode) ? "a directory" : "a device, pipe or socket", "a regular file");
    uint64_t file_size = (uint64_t)info.st_size;
    size_t start = ASSAY_NPY_PREAMBLE + ASSAY_NPY_MAX_HEADER;
    if (file_size < start) start = (size_t)file_size;
    unsigned char *bytes = malloc(start ? start : 1);
    if (!bytes) return assay_npy_refuse_io(path, "header", ENOMEM, "memory to hold it");
    assay_npy_header header;
    assay_status status = read_start(path, fd, start, bytes);
    if (status == ASSAY_OK) status = assay_npy_parse(path, bytes, start, file_size, &header);
    free(bytes);
    if (status != ASSAY_OK) return status;

    out->map_bytes = (size_t)file_size;
    out->map = mmap(NULL, out->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (out->map == MAP_FAILED) {
        out->map = NULL;
        return assay_npy_refuse_io(path, "data", errno, "a file that can be mapped");
    }
    out->path = path;
    out->type = header.type;
    out->rank = header.rank;
    memcpy(out->shape, header.shape, sizeof out->shape);
    out->elements = header.elements;
    out->data = (const unsigned char *)out->map + header.data_at;
    bool aligned = header.data_at % assay_npy_type_size(header.type) == 0;
    bool ours = aligned && !header.big_endian && row_major(&header);
    return ours ? ASSAY_OK : copy_data(&header, out);
}

assay_status assay_npy_load(const char *path, assay_npy *out) {
    *out = (assay_npy){0};
    /* O_NONBLOCK: a pipe that nobody writes to must be refused, not waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return assay_npy_refuse_io(path, "file", errno, "a readable .npy file");
    assay_status status = load(path, fd, out);
    close(fd);
    if (status != ASSAY_OK) assay_npy_free(out);
    return status;
}

void assay_npy_free(assay_npy *npy) {
    if (npy->map) munmap(npy->map, npy->map_bytes);
    free(npy->copy);
    *npy = (assay_npy){0};
}
