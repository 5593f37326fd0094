/* GGUF blocks by name and number. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "blocks.h"

static const struct {
    assay_block_info info;
    void (*decode)(const uint8_t *bytes, double *values);
    void (*quantise)(const float *values, uint8_t *bytes);
} table[ASSAY_BLOCK_COUNT] = {
    /* name, GGUF's number, elements, bytes */
    [ASSAY_BLOCK_Q4_0] = {{"Q4_0", 2, 32, 18, true}, block_q4_0_decode, block_q4_0_quantise},
    [ASSAY_BLOCK_Q4_1] = {{"Q4_1", 3, 32, 20, true}, block_q4_1_decode, block_q4_1_quantise},
    [ASSAY_BLOCK_Q5_0] = {{"Q5_0", 6, 32, 22, true}, block_q5_0_decode, block_q5_0_quantise},
    [ASSAY_BLOCK_Q5_1] = {{"Q5_1", 7, 32, 24, true}, block_q5_1_decode, block_q5_1_quantise},
    [ASSAY_BLOCK_Q8_0] = {{"Q8_0", 8, 32, 34, true}, block_q8_0_decode, block_q8_0_quantise},
    [ASSAY_BLOCK_Q4_K] = {{"Q4_K", 12, 256, 144, false}, block_q4_k_decode, NULL},
    [ASSAY_BLOCK_Q5_K] = {{"Q5_K", 13, 256, 176, false}, block_q5_k_decode, NULL},
    [ASSAY_BLOCK_Q6_K] = {{"Q6_K", 14, 256, 210, false}, block_q6_k_decode, NULL},
    [ASSAY_BLOCK_MXFP4] = {{"MXFP4", 39, 32, 17, true}, block_mxfp4_decode, block_mxfp4_quantise},
    [ASSAY_BLOCK_NVFP4] = {{"NVFP4", 40, 64, 36, true}, block_nvfp4_decode, block_nvfp4_quantise},
};

const assay_block_info *assay_block_describe(assay_block block) {
    return (unsigned)block < ASSAY_BLOCK_COUNT ? &table[block].info : NULL;
}

bool assay_block_parse(const char *name, assay_block *block) {
    for (int i = 0; i < ASSAY_BLOCK_COUNT; i++) {
        if (strcmp(name, table[i].info.name) == 0) {
            *block = (assay_block)i;
            return true;
        }
    }
    return false;
}

bool assay_block_from_gguf(int gguf_id, assay_block *block) {
    for (int i = 0; i < ASSAY_BLOCK_COUNT; i++) {
        if (table[i].info.gguf_id == gguf_id) {
            *block = (assay_block)i;
            return true;
        }
    }
    return false;
}

static assay_status check(assay_block block, const void *bytes, int64_t count, const void *values) {
    const assay_block_info *info = assay_block_describe(block);
    if (!info)
        return assay_fail(ASSAY_ERR_ARGUMENT, "block format %d, expected 0 to %d", (int)block,
                          ASSAY_BLOCK_COUNT - 1);
    return blocks_check(info->name, count, info->elements, bytes, values, values);
}

assay_status assay_block_decode(assay_block block, const void *bytes, int64_t count,
                                double *values) {
    assay_status status = check(block, bytes, count, values);
    if (status != ASSAY_OK) return status;
    const assay_block_info *info = &table[block].info;
    const uint8_t *at = bytes;
    for (int64_t i = 0; i < count; i += info->elements, at += info->bytes)
        table[block].decode(at, values + i);
    return ASSAY_OK;
}

assay_status assay_block_quantise(assay_block block, const float *values, int64_t count,
                                  void *bytes) {
    assay_status status = check(block, bytes, count, values);
    if (status != ASSAY_OK) return status;
    const assay_block_info *info = &table[block].info;
    if (!table[block].quantise)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "%s: no quantiser, only a decoder", info->name);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: element %lld is %f, expected a finite value",
                              info->name, (long long)i, (double)values[i]);
    uint8_t *at = bytes;
    for (int64_t i = 0; i < count; i += info->elements, at += info->bytes)
        table[block].quantise(values + i, at);
    return ASSAY_OK;
}
