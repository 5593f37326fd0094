/* formats_exhaustive: the encoders from float over all 2^32 inputs, in every rounding, saturating
 * and not, against the slow twin.
 *
 *   formats_exhaustive [--format NAME] [--mode even|away|zero|up|down] [--jobs N]
 *
 * As a value grows, what it rounds to climbs through the list of magnitudes. For each sign the twin
 * finds, by exact comparison, the first float that reaches each position; between two of those all
 * outputs must be the same code, and every input is run. Exits 0 when nothing differs, 1 when
 * something does, 2 on usage.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/formats.h"
#include "format_twin.h"

#define INFINITY_BITS UINT32_C(0x7f800000)
#define SIGN_BIT UINT32_C(0x80000000)
#define CHUNK (UINT32_C(1) << 23) /* divides both the finite magnitudes and the NaNs */

typedef uint32_t encoder(float value, assay_rounding rounding, bool saturate);

static const struct {
    assay_format format;
    encoder *encode;
} encoders[] = {
    {ASSAY_FORMAT_TF32, assay_tf32_from_f32},
    {ASSAY_FORMAT_F16, assay_f16_from_f32},
    {ASSAY_FORMAT_BF16, assay_bf16_from_f32},
    {ASSAY_FORMAT_E5M2, assay_e5m2_from_f32},
    {ASSAY_FORMAT_E4M3, assay_e4m3_from_f32},
    {ASSAY_FORMAT_UE4M3, assay_ue4m3_from_f32},
    {ASSAY_FORMAT_E5M2_FNUZ, assay_e5m2_fnuz_from_f32},
    {ASSAY_FORMAT_E4M3_FNUZ, assay_e4m3_fnuz_from_f32},
    {ASSAY_FORMAT_E3M2, assay_e3m2_from_f32},
    {ASSAY_FORMAT_E2M3, assay_e2m3_from_f32},
    {ASSAY_FORMAT_E2M1, assay_e2m1_from_f32},
    {ASSAY_FORMAT_E8M0, assay_e8m0_from_f32},
};

/* One format, rounding and sign. starts[k]: the least finite magnitude, as bits, that rounds to
 * position k or above; INFINITY_BITS where none does. */
typedef struct sweep {
    const twin_format *f;
    encoder *encode;
    assay_rounding rounding;
    bool negative;
    uint32_t *starts;
    atomic_uint next_chunk;
    atomic_ullong inputs, wrong;
} sweep;

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a float magnitude, read as an integer times a power of two. */
static twin_number number_of(uint32_t bits) {
    uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
    if (exponent == 0) return (twin_number){fraction, -149};
    return (twin_number){fraction | 0x800000, (int)exponent - 150};
}

static void find_starts(sweep *s, const twin_number *list) {
    uint32_t low = 0;
    s->starts[0] = 0;
    for (uint32_t k = 0; k < s->f->count; k++) {
        uint32_t high = INFINITY_BITS;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (twin_passes(list, k, number_of(middle), s->negative, s->rounding))
                high = middle;
            else
                low = middle + 1;
        }
        s->starts[k + 1] = low;
    }
}

/* All inputs of [first, last), which must give one code each for the two settings of `saturate`. */
static void check_run(sweep *s, uint32_t first, uint32_t last, uint32_t plain, uint32_t clamped) {
    uint32_t sign = s->negative ? SIGN_BIT : 0, differ = 0;
    for (uint32_t bits = first; bits < last; bits++) {
        float value = float_of(bits | sign);
        differ |= s->encode(value, s->rounding, false) ^ plain;
        differ |= s->encode(value, s->rounding, true) ^ clamped;
    }
    atomic_fetch_add(&s->inputs, last - first);
    if (!differ) return;
    for (uint32_t bits = first; bits < last; bits++) {
        float value = float_of(bits | sign);
        uint32_t a = s->encode(value, s->rounding, false);
        uint32_t b = s->encode(value, s->rounding, true);
        if (a == plain && b == clamped) continue;
        if (atomic_fetch_add(&s->wrong, 1) < 5)
            fprintf(stderr, "%s %s %#x (%a): %#x and saturated %#x, due %#x and %#x\n", s->f->name,
                    twin_rounding_name(s->rounding), bits | sign, (double)value, a, b, plain,
                    clamped);
    }
}

static uint32_t due(const sweep *s, uint32_t at, bool zero, bool infinite, bool saturate) {
    bool negative = s->negative && !(zero && !s->f->zero); /* e8m0: a zero of either sign */
    return twin_code(s->f, at, negative, infinite, s->rounding, saturate);
}

static void check_chunk(sweep *s, uint32_t first) {
    uint32_t last = first + CHUNK;
    if (first == 0) {
        check_run(s, 0, 1, due(s, 0, true, false, false), due(s, 0, true, false, true));
        first = 1;
    }
    uint32_t low = 0, high = s->f->count + 1; /* the last position that starts at or before first */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->starts[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    for (uint32_t k = low; first < last; k++) {
        uint32_t end = k < s->f->count && s->starts[k + 1] < last ? s->starts[k + 1] : last;
        if (end <= first) continue;
        check_run(s, first, end, due(s, k, false, false, false), due(s, k, false, false, true));
        first = end;
    }
}

static void *work(void *argument) {
    sweep *s = argument;
    for (;;) {
        uint64_t first = (uint64_t)atomic_fetch_add(&s->next_chunk, 1) * CHUNK;
        if (first >= SIGN_BIT) return NULL;
        if (first < INFINITY_BITS) {
            check_chunk(s, (uint32_t)first);
        } else {
            uint32_t at = s->f->count, nan = twin_nan(s->f);
            check_run(s, INFINITY_BITS, INFINITY_BITS + 1, due(s, at, false, true, false),
                      due(s, at, false, true, true));
            check_run(s, INFINITY_BITS + 1, SIGN_BIT, nan, nan);
        }
    }
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the number of wrong outputs, or of inputs that were not run. */
static uint64_t run(const twin_format *f, encoder *encode, assay_rounding rounding, int jobs) {
    double began = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_PROCESS_CPUTIME_ID);
    twin_number *list = twin_magnitudes(f);
    uint32_t *starts = malloc((f->count + 1) * sizeof *starts);
    if (!starts) abort();
    uint64_t inputs = 0, wrong = 0;
    for (int negative = 0; negative < 2; negative++) {
        sweep s = {
            .f = f, .encode = encode, .rounding = rounding, .negative = negative, .starts = starts};
        pthread_t threads[64];
        find_starts(&s, list);
        for (int i = 0; i < jobs; i++)
            if (pthread_create(&threads[i], NULL, work, &s) != 0) abort();
        for (int i = 0; i < jobs; i++) pthread_join(threads[i], NULL);
        inputs += s.inputs;
        wrong += s.wrong;
    }
    free(starts);
    free(list);
    printf("%-9s %-4s  %llu inputs, %llu wrong, %.1f s, %.1f s of CPU\n", f->name,
           twin_rounding_name(rounding), (unsigned long long)inputs, (unsigned long long)wrong,
           seconds(CLOCK_MONOTONIC) - began, seconds(CLOCK_PROCESS_CPUTIME_ID) - worked);
    fflush(stdout);
    return wrong + (UINT64_C(1) << 32) - inputs;
}

/* Ties away serve cvt.rna.tf32 and ggml's ue4m3; elsewhere they are swept when asked for. */
static bool uses_away(assay_format format) {
    return format == ASSAY_FORMAT_TF32 || format == ASSAY_FORMAT_UE4M3;
}

int main(int argc, char **argv) {
    const char *format = NULL, *mode = NULL;
    int jobs = 2, selected = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--format") == 0)
            format = argv[i + 1];
        else if (strcmp(argv[i], "--mode") == 0)
            mode = argv[i + 1];
        else if (strcmp(argv[i], "--jobs") == 0)
            jobs = atoi(argv[i + 1]);
        else
            jobs = 0;
    }
    if (argc % 2 == 0 || jobs < 1 || jobs > 64) {
        fprintf(stderr, "usage: formats_exhaustive [--format NAME] "
                        "[--mode even|away|zero|up|down] [--jobs 1..64]\n");
        return 2;
    }
    uint64_t wrong = 0;
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        if (format && strcmp(format, f->name) != 0) continue;
        encoder *encode = NULL;
        for (size_t j = 0; j < sizeof encoders / sizeof *encoders; j++)
            if (encoders[j].format == f->format) encode = encoders[j].encode;
        for (int r = 0; r < ASSAY_ROUNDING_COUNT && encode; r++) {
            if (mode && strcmp(mode, twin_rounding_name((assay_rounding)r)) != 0) continue;
            if (!mode && r == ASSAY_NEAREST_AWAY && !uses_away(f->format)) continue;
            selected++;
            wrong += run(f, encode, (assay_rounding)r, jobs);
        }
    }
    if (!selected) {
        fprintf(stderr, "nothing selected: no such format or mode\n");
        return 2;
    }
    return wrong != 0;
}
