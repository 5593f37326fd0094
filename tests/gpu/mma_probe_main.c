/* gpu_mma: runs the matrix instructions of an sm_90 device on generated operands and compares every
 * result with the model, bit for bit.
 *
 *   gpu_mma [--results N] [--only TEXT] [--vectors FOLDER] [--self]
 *
 * --results N      results a family and mode, about (default 4194304; --quick: 65536)
 * --only TEXT      families whose name contains it
 * --vectors FOLDER also writes FOLDER/mma_vectors.txt and .bin, which the unit lane replays
 * --self           the plain model in place of a device: shows that the paths agree
 *
 * Exits 0 when nothing differs, 1 when something does, 2 on usage, 3 on an error, 77 without a
 * device of sm_90.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mma_probe_host.h"

#ifndef ASSAY_HAVE_CUDA
int mma_probe_open(const char **name) {
    *name = "a build without CUDA";
    return 77;
}
int mma_probe_device(int family, int mode, uint64_t first, uint32_t tiles, uint32_t *out) {
    (void)family, (void)mode, (void)first, (void)tiles, (void)out;
    return 1;
}
const char *mma_probe_error(int error) {
    (void)error;
    return "a build without CUDA";
}
#endif

#define CHUNK 64 /* tiles that a thread takes at once */
#define MOST_THREADS 256

/* One family and mode, shared out to the threads. */
typedef struct job {
    const assay_mma *mma;
    int family, mode;
    uint32_t tiles;
    const uint32_t *chip; /* NULL: the plain model stands in */
    _Atomic uint32_t next;
    _Atomic uint64_t differing;
    _Atomic int failed;
} job;

static void *work(void *argument) {
    job *j = argument;
    const size_t tile_words = mma_probe_tile_words(j->family);
    const size_t results = (size_t)mma_probe_families[j->family].m * MMA_PROBE_N;
    uint32_t *model = malloc(CHUNK * tile_words * 4), *plain = malloc(CHUNK * tile_words * 4);
    if (!model || !plain) j->failed = 1;
    while (!j->failed) {
        const uint32_t first = atomic_fetch_add(&j->next, CHUNK);
        if (first >= j->tiles) break;
        const uint32_t tiles = j->tiles - first < CHUNK ? j->tiles - first : CHUNK;
        const uint32_t *chip = j->chip ? j->chip + first * tile_words : plain;
        if (mma_probe_expect(j->mma, j->family, j->mode, first, tiles, ASSAY_MMA_BEST, model) ||
            (!j->chip &&
             mma_probe_expect(j->mma, j->family, j->mode, first, tiles, ASSAY_MMA_PLAIN, plain)))
            j->failed = 1;
        size_t where = 0;
        const uint64_t n = mma_probe_differ(j->family, chip, model, tiles * results, &where);
        const size_t word = where * (tile_words / results);
        if (n && atomic_fetch_add(&j->differing, n) == 0)
            printf("  %s %s tile %llu result %zu: chip 0x%08x, model 0x%08x\n", j->mma->name,
                   mma_probe_modes[j->mode], (unsigned long long)(first + where / results),
                   where % results, chip[word], model[word]);
    }
    free(model);
    free(plain);
    return NULL;
}

static int compare(job *j) {
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_t handle[MOST_THREADS];
    long started = 0;
    while (started < threads && pthread_create(&handle[started], NULL, work, j) == 0) started++;
    if (started == 0) work(j);
    for (long i = 0; i < started; i++) pthread_join(handle[i], NULL);
    return j->failed ? 3 : 0;
}

typedef struct options {
    uint64_t results;
    const char *only, *vectors;
    bool self;
} options;

static bool parse(int argc, char **argv, options *o) {
    *o = (options){.results = 4194304, .only = ""};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--self") == 0)
            o->self = true;
        else if (strcmp(argv[i], "--quick") == 0)
            o->results = 65536;
        else if (strcmp(argv[i], "--results") == 0 && i + 1 < argc)
            o->results = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            o->only = argv[++i];
        else if (strcmp(argv[i], "--vectors") == 0 && i + 1 < argc)
            o->vectors = argv[++i];
        else
            return false;
    }
    return o->results > 0 && o->results <= UINT32_C(1) << 30 && !(o->self && o->vectors);
}

typedef struct recording {
    FILE *text, *binary;
} recording;

static bool open_recording(const char *folder, const char *chip, recording *r) {
    char path[1024];
    snprintf(path, sizeof path, "%s/mma_vectors.txt", folder);
    r->text = fopen(path, "w");
    snprintf(path, sizeof path, "%s/mma_vectors.bin", folder);
    r->binary = fopen(path, "wb");
    if (!r->text || !r->binary) return false;
    fprintf(
        r->text,
        "# What matrix instructions returned on %s: recorded by gpu_mma, replayed by unit.mma.\n"
        "# A line: instruction, data mode, tiles, digest of the operands. Results lie in\n"
        "# mma_vectors.bin in the order of the lines, m x 8 a tile.\n",
        chip);
    return true;
}

/* All modes of a family: results compared and differing are added up; 0 or an exit code. */
static int probe_family(int family, const options *o, recording *r, uint64_t *compared,
                        uint64_t *differing) {
    const assay_mma *mma = mma_probe_model(family);
    if (!mma) {
        fprintf(stderr, "gpu_mma: no model of %s\n", mma_probe_families[family].name);
        return 3;
    }
    const size_t tile_words = mma_probe_tile_words(family);
    const uint64_t tile_results = (uint64_t)mma_probe_families[family].m * MMA_PROBE_N;
    uint32_t tiles = (uint32_t)((o->results + tile_results - 1) / tile_results);
    if (tiles < mma_probe_recorded_tiles(family)) tiles = mma_probe_recorded_tiles(family);
    uint32_t *chip = malloc(tiles * tile_words * 4);
    if (!chip) return 3;
    int status = 0;
    for (int mode = 0; status == 0 && mode < MMA_PROBE_MODE_COUNT; mode++) {
        job j = {.mma = mma, .family = family, .mode = mode, .tiles = tiles};
        if (!o->self) {
            const int error = mma_probe_device(family, mode, 0, tiles, chip);
            if (error) {
                fprintf(stderr, "gpu_mma: %s: %s\n", mma->name, mma_probe_error(error));
                status = 3;
                break;
            }
            j.chip = chip;
        }
        status = compare(&j);
        if (status == 0 && r->text && mma_probe_record(r->text, r->binary, family, mode, chip))
            status = 3;
        *compared += tiles * tile_results;
        *differing += j.differing;
    }
    free(chip);
    return status;
}

int main(int argc, char **argv) {
    options o;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: gpu_mma [--quick | --results N] [--only TEXT] [--vectors FOLDER] "
                        "[--self]\n");
        return 2;
    }
    const char *chip = "the plain model";
    if (!o.self && mma_probe_open(&chip)) {
        printf("gpu_mma: skipped: %s\n", chip);
        return 77;
    }
    recording r = {NULL, NULL};
    if (o.vectors && !open_recording(o.vectors, chip, &r)) {
        fprintf(stderr, "gpu_mma: cannot write to %s\n", o.vectors);
        return 3;
    }
    uint64_t compared = 0, differing = 0;
    int families = 0, status = 0;
    for (int f = 0; f < MMA_PROBE_FAMILY_COUNT && status == 0; f++) {
        if (!strstr(mma_probe_families[f].name, o.only)) continue;
        uint64_t n = 0, bad = 0;
        status = probe_family(f, &o, &r, &n, &bad);
        printf("%-36s %12llu compared %12llu differing\n", mma_probe_model(f)->name,
               (unsigned long long)n, (unsigned long long)bad);
        fflush(stdout);
        compared += n;
        differing += bad;
        families++;
    }
    if (r.text && (fclose(r.text) || fclose(r.binary))) status = 3;
    printf("gpu_mma: %d families on %s, %llu results, %llu differing\n", families, chip,
           (unsigned long long)compared, (unsigned long long)differing);
    if (families == 0) return 2;
    return status ? status : differing ? 1 : 0;
}
