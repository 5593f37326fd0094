/* gpu_sfu: every special function of an sm_90 device over all its operands, compared with the model
 * bit for bit.
 *
 *   gpu_sfu [--quick] [--only TEXT] [--vectors FOLDER]
 *
 * --quick          one of every 61 stretches of 2^20 operands
 * --only TEXT      functions whose name contains it
 * --vectors FOLDER also writes FOLDER/sfu_vectors.txt: operands and results for the unit lane
 *
 * Exits 0 when nothing differs, 1 when something does, 2 on usage, 3 on an error, 77 without a
 * device of sm_90.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sfu_probe.h"

#ifndef ASSAY_HAVE_CUDA
int sfu_probe_open(const char **name, uint32_t **host) {
    *host = NULL;
    *name = "a build without CUDA";
    return 77;
}
int sfu_probe_device(int index, uint64_t first, uint32_t count, uint32_t *out) {
    (void)index, (void)first, (void)count, (void)out;
    return 1;
}
const char *sfu_probe_error(int error) {
    (void)error;
    return "a build without CUDA";
}
#endif

static const sfu_probe_info functions[] = {
#define ENTRY(MODEL, ID, NAME) {ASSAY_SFU_##MODEL, NAME},
    SFU_PROBE_FUNCTIONS(ENTRY)
#undef ENTRY
};
#define FUNCTION_COUNT ((int)(sizeof functions / sizeof functions[0]))

#define STRETCH (UINT32_C(1) << 20)
#define MOST_THREADS 256

/* One batch of one function, shared out to the threads. */
typedef struct job {
    const sfu_probe_info *info;
    const uint32_t *chip;
    uint64_t first;
    uint32_t count;
    _Atomic uint32_t next;
    _Atomic uint64_t differing;
} job;

static void *work(void *argument) {
    enum { BLOCK = 4096 };
    job *j = argument;
    uint32_t x[BLOCK], y[BLOCK];
    for (uint32_t at; (at = atomic_fetch_add(&j->next, BLOCK)) < j->count;) {
        const uint32_t n = j->count - at < BLOCK ? j->count - at : BLOCK;
        for (uint32_t i = 0; i < n; i++) x[i] = (uint32_t)(j->first + at + i);
        assay_sfu_many(j->info->model, x, y, n, ASSAY_SFU_BEST);
        for (uint32_t i = 0; i < n; i++)
            if (y[i] != j->chip[at + i] && atomic_fetch_add(&j->differing, 1) == 0)
                printf("  %s 0x%08x: chip 0x%08x, model 0x%08x\n", j->info->name, x[i],
                       j->chip[at + i], y[i]);
    }
    return NULL;
}

static void compare(job *j) {
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_t handle[MOST_THREADS];
    long started = 0;
    while (started < threads && pthread_create(&handle[started], NULL, work, j) == 0) started++;
    if (started == 0) work(j);
    for (long i = 0; i < started; i++) pthread_join(handle[i], NULL);
}

/* Compares one function; 0, or the device's error. */
static int probe(int index, bool quick, uint32_t *chip, uint64_t *compared, uint64_t *differing) {
    const uint64_t all = UINT64_C(1) << assay_sfu_bits(functions[index].model);
    const uint32_t count = all < SFU_PROBE_BATCH ? (uint32_t)all
                           : quick               ? STRETCH
                                                 : SFU_PROBE_BATCH;
    const uint64_t step = quick ? 61 * (uint64_t)STRETCH : count;
    for (uint64_t first = 0; first < all; first += step) {
        const int error = sfu_probe_device(index, first, count, chip);
        if (error) return error;
        job j = {.info = &functions[index], .chip = chip, .first = first, .count = count};
        compare(&j);
        *compared += count;
        *differing += j.differing;
    }
    return 0;
}

/* A few hundred operands a function: every special value, every binade, and strides in between. */
static int record(int index, FILE *f, uint32_t *chip) {
    const int bits = assay_sfu_bits(functions[index].model);
    const uint32_t stride = bits == 32 ? 0x00ffe1a7U : 0x01a7U;
    const uint64_t all = UINT64_C(1) << bits;
    for (uint64_t x = 0; x < all; x += stride) {
        const int error = sfu_probe_device(index, x, 1, chip);
        if (error) return error;
        if (fprintf(f, "%s %08x %08x\n", functions[index].name, (unsigned)x, chip[0]) < 0) return 1;
    }
    return 0;
}

typedef struct options {
    bool quick;
    const char *only, *vectors;
} options;

static bool parse(int argc, char **argv, options *o) {
    *o = (options){.only = ""};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            o->only = argv[++i];
        else if (strcmp(argv[i], "--vectors") == 0 && i + 1 < argc)
            o->vectors = argv[++i];
        else
            return false;
    }
    return true;
}

static FILE *open_vectors(const char *folder, const char *chip) {
    char path[1024];
    snprintf(path, sizeof path, "%s/sfu_vectors.txt", folder);
    FILE *f = fopen(path, "w");
    if (f)
        fprintf(
            f,
            "# What special functions returned on %s: recorded by gpu_sfu, replayed by unit.sfu.\n"
            "# A line: function, operand, result.\n",
            chip);
    return f;
}

int main(int argc, char **argv) {
    options o;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: gpu_sfu [--quick] [--only TEXT] [--vectors FOLDER]\n");
        return 2;
    }
    const char *name;
    uint32_t *chip;
    if (sfu_probe_open(&name, &chip)) {
        printf("gpu_sfu: skipped: %s\n", name);
        return 77;
    }
    FILE *vectors = o.vectors ? open_vectors(o.vectors, name) : NULL;
    if (o.vectors && !vectors) {
        fprintf(stderr, "gpu_sfu: cannot write to %s\n", o.vectors);
        return 3;
    }
    uint64_t all = 0;
    int count = 0, error = 0;
    for (int i = 0; i < FUNCTION_COUNT && !error; i++) {
        if (!strstr(functions[i].name, o.only)) continue;
        uint64_t compared = 0, differing = 0;
        error = probe(i, o.quick, chip, &compared, &differing);
        if (!error && vectors) error = record(i, vectors, chip);
        printf("%-22s %12llu compared %12llu differing\n", functions[i].name,
               (unsigned long long)compared, (unsigned long long)differing);
        fflush(stdout);
        all += differing;
        count++;
    }
    if (error) fprintf(stderr, "gpu_sfu: %s\n", sfu_probe_error(error));
    if (vectors && fclose(vectors)) error = 1;
    printf("gpu_sfu: %d functions on %s, %llu differing\n", count, name, (unsigned long long)all);
    return error ? 3 : count == 0 ? 2 : all ? 1 : 0;
}
