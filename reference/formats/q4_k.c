/* GGUF Q4_K: 256 elements in 8 sub-blocks of 32, 144 bytes.
 * value = (d * scale) * q - dmin * minimum, q = 0..15, scale and minimum 0..63 for each sub-block.
 *   0..1     d, f16
 *   2..3     dmin, f16
 *   4..15    scales and minima, 6 bits each: bytes 4..7 hold those of sub-blocks 0..3
 * (scale), 8..11 (minimum); of sub-blocks 4..7 the low 4 bits are in bytes 12..15 (scale low
 * nibble, minimum high) and the upper 2 in the top bits of bytes 4..7 and 8..11 16..143  byte 32 g
 * + l: q of element 64 g + l in the low nibble, of 64 g + 32 + l in the high one
 */
#include "blocks.h"

void block_q4_k_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes), dmin = block_load_f16(bytes + 2);
    for (int i = 0; i < 256; i++) {
        int scale, minimum;
        block_k_scale(bytes + 4, i / 32, &scale, &minimum);
        int q = bytes[16 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
        values[i] = d * scale * q - dmin * minimum;
    }
}
