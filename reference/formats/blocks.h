/* What the block formats share, and the functions of each GGUF block. Internal.
 *
 * A decoder reads one block, a quantiser writes one; callers have checked sizes and finiteness.
 */
#ifndef ASSAY_FORMATS_BLOCKS_H
#define ASSAY_FORMATS_BLOCKS_H

#include "assay/blocks.h"

/* A count that is a whole number of blocks, and pointers; `what` opens the message. */
assay_status blocks_check(const char *what, int64_t count, int block, const void *a, const void *b,
                          const void *c);

bool block_is_finite(const float *values, int count);
float block_absmax(const float *values, int count); /* NaNs are passed over */

/* f16 in memory, little endian. */
double block_load_f16(const uint8_t *bytes);
void block_store_f16(uint8_t *bytes, float value);

/* 1 / d, but 0 for d = 0 and where it overflows. */
float block_reciprocal(float d);

/* Drops the fraction of a non-negative value, up to `largest`; 0 for NaN. */
int block_truncate(float value, int largest);

/* ggml's choice of an FP4 code: the lowest code of the nearest value, values being doubled e2m1
 * times `half_scale`, compared in float. */
int block_nearest_fp4(float value, float half_scale);
extern const int8_t block_fp4_doubled[16];

/* The 6-bit scale and minimum of sub-block j (0..7) in the 12 bytes that Q4_K and Q5_K share. */
void block_k_scale(const uint8_t *packed, int j, int *scale, int *minimum);

void block_q4_0_decode(const uint8_t *bytes, double *values);
void block_q4_1_decode(const uint8_t *bytes, double *values);
void block_q5_0_decode(const uint8_t *bytes, double *values);
void block_q5_1_decode(const uint8_t *bytes, double *values);
void block_q8_0_decode(const uint8_t *bytes, double *values);
void block_q4_k_decode(const uint8_t *bytes, double *values);
void block_q5_k_decode(const uint8_t *bytes, double *values);
void block_q6_k_decode(const uint8_t *bytes, double *values);
void block_mxfp4_decode(const uint8_t *bytes, double *values);
void block_nvfp4_decode(const uint8_t *bytes, double *values);

void block_q4_0_quantise(const float *values, uint8_t *bytes);
void block_q4_1_quantise(const float *values, uint8_t *bytes);
void block_q5_0_quantise(const float *values, uint8_t *bytes);
void block_q5_1_quantise(const float *values, uint8_t *bytes);
void block_q8_0_quantise(const float *values, uint8_t *bytes);
void block_mxfp4_quantise(const float *values, uint8_t *bytes);
void block_nvfp4_quantise(const float *values, uint8_t *bytes);

#endif
