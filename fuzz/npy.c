/* Any bytes as a .npy file: the reader refuses with a message, or what it gives is whole and a
 * saved copy reads back the same. */
#define _GNU_SOURCE
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file = -1;
static char path[64], folder[] = "/tmp/assay-fuzz-XXXXXX", copy_path[64];

static void demand(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s (last message: %s)\n", what, assay_last_error());
    abort();
}

/* Reads every byte, so that the sanitizer sees a range that is not there. */
static uint64_t sum(const void *data, size_t bytes) {
    const unsigned char *p = data;
    uint64_t all = 0;
    for (size_t i = 0; i < bytes; i++) all = all * 31 + p[i];
    return all;
}

static void remove_folder(void) { rmdir(folder); }

static void open_files(void) {
    file = memfd_create("input.npy", 0);
    demand(file >= 0, "a file in memory can be made");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    demand(mkdtemp(folder) != NULL, "a folder can be made");
    atexit(remove_folder);
    snprintf(copy_path, sizeof copy_path, "%s/copy.npy", folder);
}

static void check_copy(const assay_npy *first, uint64_t hash) {
    assay_npy second;
    demand(assay_npy_save(copy_path, first->type, first->rank, first->shape, first->data) == 0,
           "what was read can be saved");
    demand(assay_npy_load(copy_path, &second) == 0, "what was saved can be read");
    demand(second.type == first->type && second.rank == first->rank &&
               memcmp(second.shape, first->shape, sizeof(int64_t) * (size_t)first->rank) == 0,
           "type and shape stay");
    demand(sum(second.data, (size_t)second.elements * assay_npy_type_size(second.type)) == hash,
           "the data stay");
    assay_npy_free(&second);
    unlink(copy_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (file < 0) open_files();
    demand(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size,
           "it is written");
    assay_npy npy;
    if (assay_npy_load(path, &npy)) {
        demand(npy.data == NULL && npy.map == NULL && npy.copy == NULL, "a refusal leaves nothing");
        demand(*assay_last_error() != '\0', "a refusal says why");
        return 0;
    }
    int64_t product = 1;
    for (int i = 0; i < npy.rank; i++) product *= npy.shape[i];
    demand(product == npy.elements && npy.elements >= 0, "elements are the product of the shape");
    const size_t element = assay_npy_type_size(npy.type);
    demand((uintptr_t)npy.data % element == 0, "data are aligned");
    const uint64_t hash = sum(npy.data, (size_t)npy.elements * element);
    check_copy(&npy, hash);
    assay_npy_free(&npy);
    return 0;
}
