/* Between the files of the .npy reader. */
#ifndef ASSAY_HARNESS_NPY_INTERNAL_H
#define ASSAY_HARNESS_NPY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "npy.h"

/* NumPy itself stops at 10000 bytes unless told otherwise. */
#define ASSAY_NPY_MAX_HEADER 65536

/* Bytes before the header: magic, version, header length (2 bytes in 1.0, 4 since 2.0). */
#define ASSAY_NPY_PREAMBLE 12

typedef struct assay_npy_header {
    assay_npy_type type;
    bool big_endian, fortran;
    int rank;
    int64_t shape[ASSAY_NPY_MAX_RANK];
    int64_t elements;
    size_t data_at; /* offset of the data in the file */
} assay_npy_header;

/* Parses the first `length` bytes of a file of `file_size` bytes, which must be all of it or at
 * least ASSAY_NPY_PREAMBLE + ASSAY_NPY_MAX_HEADER. Succeeds only if the data that the header
 * announces are exactly the rest of the file. */
assay_status assay_npy_parse(const char *path, const unsigned char *bytes, size_t length,
                             uint64_t file_size, assay_npy_header *out);

/* "FILE: FIELD at byte AT: found FOUND, expected EXPECTED"; a long path keeps its end. */
assay_status assay_npy_refuse(const char *path, const char *field, uint64_t at, const char *found,
                              const char *expected);

/* The same where there is no offset: "FILE: FIELD: found FOUND, expected EXPECTED". */
assay_status assay_npy_refuse_file(assay_status status, const char *path, const char *field,
                                   const char *found, const char *expected);

/* FOUND is the system's message for errno; ERR_IO. */
assay_status assay_npy_refuse_io(const char *path, const char *field, int error,
                                 const char *expected);

#endif
