/* GGUF NVFP4: 64 elements in 4 sub-blocks of 16, 36 bytes. value = e2m1 * ue4m3; the tensor's f32
 * scale is a separate tensor of the file. 0..3    ue4m3 scale of sub-block s; 0x00 and 0x7f are 0,
 * in all others the top bit is ignored 4..35   byte 4 + 8 s + j: e2m1 code of element 16 s + j in
 * the low nibble, of 16 s + j + 8 in the high one Quantiser: scale from absmax / 6 by ggml's own
 * encoder: one bit below the fraction rounds half up, subnormals stop at 7, what reaches 256 is
 * 0x7e = 448. Codes as in MXFP4. */
#include "assay/formats.h"
#include "blocks.h"

static double half_scale(int code) {
    if (code == 0x7f) return 0;
    if (code == 0xff) return 240; /* 480, which has no e4m3 code, halved */
    return assay_ue4m3_decode((uint32_t)code) / 2;
}

void block_nvfp4_decode(const uint8_t *bytes, double *values) {
    for (int s = 0; s < 4; s++) {
        double half = half_scale(bytes[s]);
        for (int j = 0; j < 8; j++) {
            int pair = bytes[4 + 8 * s + j];
            values[16 * s + j] = half * block_fp4_doubled[pair & 15];
            values[16 * s + j + 8] = half * block_fp4_doubled[pair >> 4];
        }
    }
}

/* Of a non-negative value. */
static int encode_scale(float value) {
    if (value < 0x1p-6f) return block_truncate(value * 512 + 0.5f, 7);
    uint32_t code = assay_ue4m3_from_f32(value, ASSAY_NEAREST_AWAY, true);
    return code < 0x78 ? (int)code : 0x7e;
}

void block_nvfp4_quantise(const float *values, uint8_t *bytes) {
    for (int s = 0; s < 4; s++) {
        const float *x = values + 16 * s;
        int code = encode_scale(block_absmax(x, 16) / 6);
        float half = (float)half_scale(code);
        bytes[s] = (uint8_t)code;
        for (int j = 0; j < 8; j++)
            bytes[4 + 8 * s + j] =
                (uint8_t)(block_nearest_fp4(x[j], half) | block_nearest_fp4(x[j + 8], half) << 4);
    }
}
