/* mma_vectors FOLDER: the models against what eight chips returned, recorded by Khattak and
 * Mikaitis (north-numerical-computing/MATLAB-tensor-core, BSD-2):
 * FOLDER/CHIP/FORMAT/{a,b,c,d}_CHIP_*.txt, one dot product a line. a and b hold the operands as hex
 * binary32, c and d 32 binary digits.
 *
 * Prints dot products compared and differing for each chip and format. Exits 0 when none differs,
 * 1 when one does, 3 when a file is missing or short.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/mma.h"

#define LINES 5000
#define MAX_K 32

typedef struct record {
    const char *chip, *format, *result; /* result: "fp32" or "fp16" */
    const char *arch, *instruction;
    bool c_used; /* the recording program left c out of some: see the table */
} record;

/* Of the 8-bit files, those of Hopper with f32 results were recorded with c = 0, whatever their c
 * file holds; the others are what mma.sync gave, on B200 too, where it is emulated as on sm_90. */
#define DENSE(CHIP, ARCH, BF16, F16, F16_F16, TF32)                                                \
    {CHIP, "bf16", "fp32", ARCH, BF16, true}, {CHIP, "fp16", "fp32", ARCH, F16, true},             \
        {CHIP, "fp16", "fp16", ARCH, F16_F16, true}, {                                             \
        CHIP, "tf32", "fp32", ARCH, TF32, true                                                     \
    }
#define SYNC(CHIP, ARCH, K)                                                                        \
    DENSE(CHIP, ARCH, "mma.m16n8k" K ".f32.bf16.bf16.f32", "mma.m16n8k" K ".f32.f16.f16.f32",      \
          "mma.m16n8k" K ".f16.f16.f16.f16", "mma.m16n8k4.f32.tf32.tf32.f32")
#define SMALL(CHIP, RESULT, ARCH, NAME, TAIL, C)                                                   \
    {CHIP, "E4M3", RESULT, ARCH, NAME ".e4m3.e4m3" TAIL, C}, {                                     \
        CHIP, "E5M2", RESULT, ARCH, NAME ".e5m2.e5m2" TAIL, C                                      \
    }
#define SMALL_F32(CHIP, ARCH) SMALL(CHIP, "fp32", ARCH, "mma.m16n8k32.f32", ".f32", true)
#define SMALL_F16(CHIP, ARCH) SMALL(CHIP, "fp16", ARCH, "mma.m16n8k32.f16", ".f16", true)

static const record records[] = {
    {"V100", "fp16", "fp32", "sm_70", "mma.m8n8k4.f32.f16.f16.f32", true},
    {"V100", "fp16", "fp16", "sm_70", "mma.m8n8k4.f16.f16.f16.f16", true},
    SYNC("A100", "sm_80", "8"),
    SYNC("A2", "sm_86", "8"),
    SYNC("Ada", "sm_89", "8"),
    SMALL_F32("Ada", "sm_89"),
    SMALL_F16("Ada", "sm_89"),
    SYNC("L40S", "sm_89", "8"),
    SMALL_F32("L40S", "sm_89"),
    SYNC("H100", "sm_90", "16"),
    SMALL("H100", "fp32", "sm_90", "wgmma.m64nNk32.f32", "", false),
    SMALL_F16("H100", "sm_90"),
    SYNC("H200", "sm_90", "16"),
    SMALL("H200", "fp32", "sm_90", "wgmma.m64nNk32.f32", "", false),
    SMALL_F16("H200", "sm_90"),
    SYNC("B200", "sm_100", "16"),
    SMALL_F32("B200", "sm_100"),
    SMALL_F16("B200", "sm_100"),
};

static FILE *open_file(const char *folder, const record *r, char which, const char *suffix) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s/%c_%s_%s.txt", folder, r->chip, r->format, which, r->chip,
             suffix);
    FILE *f = fopen(path, "r");
    if (!f) fprintf(stderr, "mma_vectors: cannot open %s\n", path);
    return f;
}

static float bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A binary32 that holds a value of the type, as the type's code. */
static uint32_t narrow(assay_mma_type type, uint32_t bits) {
    switch (type) {
    case ASSAY_MMA_TF32: return bits;
    case ASSAY_MMA_F16: return assay_f16_encode(bits_float(bits));
    case ASSAY_MMA_BF16: return assay_bf16_encode(bits_float(bits));
    case ASSAY_MMA_E4M3: return assay_e4m3_encode(bits_float(bits));
    case ASSAY_MMA_E5M2: return assay_e5m2_encode(bits_float(bits));
    default: return bits;
    }
}

/* One row of operands; zeros beyond what the line holds (the tf32 files have four). */
static bool read_operands(FILE *f, assay_mma_type type, int k, void *out) {
    char line[512];
    if (!fgets(line, sizeof line, f)) return false;
    char *at = line;
    for (int i = 0; i < k; i++) {
        char *end;
        const uint32_t code = narrow(type, (uint32_t)strtoul(at, &end, 16));
        if (end == at && i < 4) return false;
        at = end;
        if (assay_mma_type_size(type) == 1) ((uint8_t *)out)[i] = (uint8_t)code;
        if (assay_mma_type_size(type) == 2) ((uint16_t *)out)[i] = (uint16_t)code;
        if (assay_mma_type_size(type) == 4) ((uint32_t *)out)[i] = code;
    }
    return at[strspn(at, " \r\n")] == '\0';
}

static bool read_binary(FILE *f, uint32_t *out) {
    char line[128], *end;
    if (!fgets(line, sizeof line, f)) return false;
    *out = (uint32_t)strtoul(line, &end, 2);
    return end == line + 32;
}

/* Differing dot products, -1 when a file is missing or short. */
static int compare(const char *folder, const record *r, const assay_mma *mma) {
    FILE *fa = open_file(folder, r, 'a', r->format), *fb = open_file(folder, r, 'b', r->format);
    FILE *fc = open_file(folder, r, 'c', "fp32"), *fd = open_file(folder, r, 'd', r->result);
    int differing = fa && fb && fc && fd ? 0 : -1;
    for (int line = 0; differing >= 0 && line < LINES; line++) {
        uint32_t a[MAX_K], b[MAX_K], c, d;
        if (!read_operands(fa, mma->a, mma->k, a) || !read_operands(fb, mma->b, mma->k, b) ||
            !read_binary(fc, &c) || !read_binary(fd, &d)) {
            fprintf(stderr, "mma_vectors: %s %s: line %d is missing or malformed\n", r->chip,
                    r->format, line + 1);
            differing = -1;
            break;
        }
        if (mma->d == ASSAY_MMA_F16) { /* the files hold binary16 values as binary32 */
            c = narrow(ASSAY_MMA_F16, c);
            d = narrow(ASSAY_MMA_F16, d);
        }
        const uint32_t got = (uint32_t)assay_mma_dot(mma, a, b, r->c_used ? c : 0, NULL, NULL);
        if (got != d && differing++ == 0)
            printf("  line %d: model 0x%x, chip 0x%x\n", line + 1, got, d);
    }
    if (fa) fclose(fa);
    if (fb) fclose(fb);
    if (fc) fclose(fc);
    if (fd) fclose(fd);
    return differing;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: mma_vectors FOLDER\n");
        return 2;
    }
    long compared = 0, all = 0;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        const record *r = &records[i];
        const assay_mma *mma = assay_mma_find(r->arch, r->instruction);
        if (!mma) {
            fprintf(stderr, "mma_vectors: no model of %s on %s\n", r->instruction, r->arch);
            return 3;
        }
        const int differing = compare(argv[1], r, mma);
        if (differing < 0) return 3;
        printf("%-5s %-5s %-5s %-36s %5d compared %5d differing\n", r->chip, r->format, r->result,
               r->instruction, LINES, differing);
        compared += LINES;
        all += differing;
    }
    printf("mma_vectors: %ld dot products of 8 chips, %ld differing\n", compared, all);
    return all ? 1 : 0;
}
