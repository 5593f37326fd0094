/* The slow twin of the number formats, for tests only. It shares nothing with reference/formats: a
 * format is the list of its magnitudes, made by counting upwards one step at a time, a value is an
 * exact integer times a power of two, and rounding is a search for the decision boundaries passed.
 */
#ifndef ASSAY_TESTS_FORMAT_TWIN_H
#define ASSAY_TESTS_FORMAT_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/format_info.h"

typedef struct twin_number { /* m * 2^e */
    uint64_t m;
    int e;
} twin_number;

typedef struct twin_format {
    assay_format format;
    const char *name;
    int width;             /* bits of a code */
    int steps;             /* values per binade */
    twin_number low;       /* magnitude of code 0 or, where that is zero, of code 1 */
    uint32_t count;        /* finite magnitudes; their codes are 0 .. count - 1 */
    uint32_t minus;        /* the sign bit, 0 where there is none */
    int64_t infinity, nan; /* positive codes; -1 where there is none */
    bool zero, minus_zero; /* is there a zero, and a negative one? */
} twin_format;

/* Every format but f32, whose magnitudes are too many to list. */
extern const twin_format twin_formats[];
extern const int twin_format_count;

/* The magnitudes of codes 0 .. count - 1, and one more: what would follow the largest. The caller
 * frees the list. */
twin_number *twin_magnitudes(const twin_format *f);

twin_number twin_of_double(double magnitude); /* finite, sign ignored */
double twin_to_double(twin_number x);         /* exact for every magnitude and midpoint */
int twin_compare(twin_number a, twin_number b);
twin_number twin_midpoint(twin_number low, twin_number high); /* of neighbours */

/* Does a value of this sign and magnitude x round to code k + 1 or more, rather than to k or less?
 */
bool twin_passes(const twin_number *list, uint32_t k, twin_number x, bool negative,
                 assay_rounding rounding);

/* The code for a magnitude that rounds to position `at` of the list; count or more is overflow. */
uint32_t twin_code(const twin_format *f, uint32_t at, bool negative, bool infinite,
                   assay_rounding rounding, bool saturate);

/* What a NaN becomes. */
uint32_t twin_nan(const twin_format *f);

/* The code for any float64. */
uint32_t twin_round(const twin_format *f, const twin_number *list, double value,
                    assay_rounding rounding, bool saturate);

/* The value of a code. */
double twin_decode(const twin_format *f, const twin_number *list, uint32_t code);

const char *twin_rounding_name(assay_rounding rounding);

#endif
