/* GGUF Q6_K: 256 elements in 16 sub-blocks of 16, 210 bytes.
 * value = (d * scale) * (q - 32), q = 0..63, a signed 8-bit scale for each sub-block.
 * Element i = 128 h + 32 p + l (h = 0..1, p = 0..3, l = 0..31):
 *   0..127    bits 0..3 of q: byte 64 h + 32 (p % 2) + l, low nibble for p < 2, high for p >= 2
 *   128..191  bits 4..5 of q: byte 128 + 32 h + l, bits 2 p and 2 p + 1
 *   192..207  scales
 *   208..209  d, f16 */
#include "blocks.h"

void block_q6_k_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes + 208);
    for (int i = 0; i < 256; i++) {
        int h = i / 128, p = i / 32 % 4, l = i % 32;
        int low = bytes[64 * h + 32 * (p % 2) + l] >> (p / 2 * 4) & 15;
        int high = bytes[128 + 32 * h + l] >> (2 * p) & 3;
        int scale = bytes[192 + i / 16] < 128 ? bytes[192 + i / 16] : bytes[192 + i / 16] - 256;
        values[i] = d * scale * ((low | high << 4) - 32);
    }
}
