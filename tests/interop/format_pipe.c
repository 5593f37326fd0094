/* format_pipe: the number formats as a filter, for scripts. Native binary from stdin to stdout.
 *
 *   format_pipe decode FORMAT                       u32 codes -> f64
 *   format_pipe round FORMAT even|away|zero|up|down 0|1      f64 -> u32 codes
 *   format_pipe from_f32 FORMAT even|away|zero|up|down 0|1   f32 -> u32 codes
 *   format_pipe block_decode BLOCK                  bytes of blocks -> f64
 *   format_pipe block_quantise BLOCK                f32 -> bytes of blocks
 *
 * The last word of an encoder is 1 to saturate. Exits 2 on usage, 3 when input or output fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/blocks.h"
#include "assay/formats.h"

static const char *const roundings[ASSAY_ROUNDING_COUNT] = {"even", "away", "zero", "up", "down"};

typedef enum verb { DECODE, ROUND, FROM_F32, BLOCK_DECODE, BLOCK_QUANTISE, VERBS } verb;

typedef struct job {
    verb verb;
    assay_format format;
    assay_block block;
    assay_rounding rounding;
    bool saturate;
    size_t in_bytes, out_bytes; /* of one element or one block */
} job;

static bool parse(int argc, char **argv, job *j) {
    static const char *const verbs[VERBS] = {"decode", "round", "from_f32", "block_decode",
                                             "block_quantise"};
    static const size_t sizes[][2] = {{4, 8}, {8, 4}, {4, 4}};
    if (argc < 3) return false;
    while (j->verb < VERBS && strcmp(argv[1], verbs[j->verb]) != 0) j->verb++;
    if (j->verb == VERBS) return false;
    if (j->verb >= BLOCK_DECODE) {
        if (argc != 3 || !assay_block_parse(argv[2], &j->block)) return false;
        const assay_block_info *info = assay_block_describe(j->block);
        size_t elements = (size_t)info->elements, bytes = (size_t)info->bytes;
        j->in_bytes = j->verb == BLOCK_DECODE ? bytes : 4 * elements;
        j->out_bytes = j->verb == BLOCK_DECODE ? 8 * elements : bytes;
        return true;
    }
    j->in_bytes = sizes[j->verb][0];
    j->out_bytes = sizes[j->verb][1];
    if (!assay_format_parse(argv[2], &j->format)) return false;
    if (j->verb == DECODE) return argc == 3;
    if (argc != 5) return false;
    while (j->rounding < ASSAY_ROUNDING_COUNT && strcmp(argv[3], roundings[j->rounding]) != 0)
        j->rounding++;
    j->saturate = strcmp(argv[4], "1") == 0;
    return j->rounding < ASSAY_ROUNDING_COUNT;
}

static assay_status convert(const job *j, const void *in, void *out) {
    uint32_t code;
    double wide;
    float value;
    switch (j->verb) {
    case DECODE:
        memcpy(&code, in, sizeof code);
        wide = assay_code_decode(j->format, code);
        memcpy(out, &wide, sizeof wide);
        return ASSAY_OK;
    case ROUND:
        memcpy(&wide, in, sizeof wide);
        code = assay_code_round(j->format, wide, j->rounding, j->saturate);
        memcpy(out, &code, sizeof code);
        return ASSAY_OK;
    case FROM_F32:
        memcpy(&value, in, sizeof value);
        code = assay_code_from_f32(j->format, value, j->rounding, j->saturate);
        memcpy(out, &code, sizeof code);
        return ASSAY_OK;
    case BLOCK_DECODE:
        return assay_block_decode(j->block, in, assay_block_describe(j->block)->elements, out);
    case BLOCK_QUANTISE:
        return assay_block_quantise(j->block, in, assay_block_describe(j->block)->elements, out);
    case VERBS: break;
    }
    return ASSAY_ERR_INTERNAL;
}

int main(int argc, char **argv) {
    job j = {.verb = DECODE};
    _Alignas(8) unsigned char in[1024], out[2048]; /* 256 floats, 256 doubles */
    if (!parse(argc, argv, &j)) {
        fprintf(stderr, "usage: see the head of format_pipe.c\n");
        return 2;
    }
    size_t got;
    while ((got = fread(in, 1, j.in_bytes, stdin)) == j.in_bytes) {
        if (convert(&j, in, out) != ASSAY_OK) {
            fprintf(stderr, "%s\n", assay_last_error());
            return 3;
        }
        if (fwrite(out, 1, j.out_bytes, stdout) != j.out_bytes) return 3;
    }
    if (got != 0) fprintf(stderr, "%zu bytes left over\n", got);
    return got != 0 || ferror(stdin) || fflush(stdout) != 0 ? 3 : 0;
}
