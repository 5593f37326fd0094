/* Small pictures inside a page: PNG with a palette, as a data URI. */
#ifndef ASSAY_HARNESS_PNG_H
#define ASSAY_HARNESS_PNG_H

#include <stdint.h>
#include <stdio.h>

/* Writes "data:image/png;base64,...": width x height pixels (row-major indices into `palette`,
 * which has `colors` entries of three bytes). Not compressed: width * height below 65,000. */
void assay_png_data_uri(FILE *out, const unsigned char *pixels, int width, int height,
                        const unsigned char (*palette)[3], int colors);

#endif
