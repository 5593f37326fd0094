/* GGUF Q5_K: 256 elements in 8 sub-blocks of 32, 176 bytes.
 * value = (d * scale) * q - dmin * minimum, q = 0..31, scale and minimum 0..63 for each sub-block.
 *   0..1     d, f16
 *   2..3     dmin, f16
 *   4..15    scales and minima, as in Q4_K
 *   16..47   byte l: bit s is bit 4 of q of element 32 s + l
 *   48..175  byte 32 g + l: bits 0..3 of q, element 64 g + l in the low nibble, 64 g + 32 + l in
 * the high one */
#include "blocks.h"

void block_q5_k_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes), dmin = block_load_f16(bytes + 2);
    for (int i = 0; i < 256; i++) {
        int scale, minimum;
        block_k_scale(bytes + 4, i / 32, &scale, &minimum);
        int low = bytes[48 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
        int high = bytes[16 + i % 32] >> (i / 32) & 1;
        values[i] = d * scale * (low | high << 4) - dmin * minimum;
    }
}
