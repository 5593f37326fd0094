/* Whole text files, and hashes of bytes. */
#ifndef ASSAY_HARNESS_TEXT_FILE_H
#define ASSAY_HARNESS_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "assay/status.h"

/* Reads a file; *text is ended by a zero byte and is the caller's to free. */
assay_status assay_text_read(const char *path, char **text, size_t *size);

/* Writes a file, making the folders on its way. */
assay_status assay_text_write(const char *path, const char *text, size_t size);

/* A printf-style text of any length; the caller frees it. NULL when memory ran out. */
char *assay_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* FNV-1a over `size` bytes, carried on from `hash`; begin with ASSAY_FNV_START. */
#define ASSAY_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t assay_fnv(uint64_t hash, const void *bytes, size_t size);

#endif
