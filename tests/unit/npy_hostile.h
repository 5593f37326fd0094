/* Hostile .npy files: what is wrong, and what the message must say. */
#ifndef ASSAY_UNIT_NPY_HOSTILE_H
#define ASSAY_UNIT_NPY_HOSTILE_H

#include <stddef.h>

typedef struct npy_hostile {
    const char *what;
    /* The header's text. A newline is added unless `bare`. NULL: `raw` is the whole file. */
    const char *header;
    const char *raw;
    size_t raw_size;
    size_t header_size; /* of the header, when it holds a NUL; 0: strlen */
    int bare;
    int version;       /* major; 0: 1 */
    size_t data;       /* bytes after the header */
    const char *where; /* "FIELD at byte OFFSET: found ..." */
    const char *expected;
} npy_hostile;

extern const npy_hostile npy_hostiles[];
extern const size_t npy_hostile_count;

#endif
