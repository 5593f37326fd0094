/* Recordings: a text header of one line a block and the results themselves, little endian, in the
 * fewest bytes. The operands are not stored; the generator's digest guards them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mma_probe_host.h"

uint32_t mma_probe_recorded_tiles(int family) {
    return mma_probe_families[family].m >= 64 ? 1 : mma_probe_families[family].m == 8 ? 4 : 2;
}

static size_t recorded_results(int family) {
    return mma_probe_recorded_tiles(family) * (size_t)mma_probe_families[family].m * MMA_PROBE_N;
}

int mma_probe_record(FILE *text, FILE *binary, int family, int mode, const uint32_t *words) {
    const mma_probe_info *f = &mma_probe_families[family];
    const uint32_t tiles = mma_probe_recorded_tiles(family);
    const size_t results = recorded_results(family), size = assay_mma_type_size(f->d);
    if (fprintf(text, "%s %s %s %u %016llx\n", f->kind == MMA_PROBE_KIND_GROUP ? "wgmma" : "mma",
                f->name, mma_probe_modes[mode], tiles,
                (unsigned long long)mma_probe_digest(family, mode, tiles)) < 0)
        return -1;
    for (size_t i = 0; i < results; i++)
        if (fwrite((const char *)words + i * (size == 8 ? 8 : 4), size, 1, binary) != 1) return -1;
    return 0;
}

static bool refuse(mma_probe_replay *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(mma_probe_replay *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->first, sizeof out->first, format, arguments);
    va_end(arguments);
    return false;
}

static int find_family(const char *kind, const char *name) {
    for (int i = 0; i < MMA_PROBE_FAMILY_COUNT; i++) {
        const bool group = mma_probe_families[i].kind == MMA_PROBE_KIND_GROUP;
        if (strcmp(kind, group ? "wgmma" : "mma") == 0 &&
            strcmp(name, mma_probe_families[i].name) == 0)
            return i;
    }
    return -1;
}

static int find_mode(const char *name) {
    for (int i = 0; i < MMA_PROBE_MODE_COUNT; i++)
        if (strcmp(name, mma_probe_modes[i]) == 0) return i;
    return -1;
}

static bool replay_block(FILE *binary, int family, int mode, mma_probe_replay *out) {
    enum { MOST = 64 * MMA_PROBE_N * 2 };
    uint32_t chip[MOST] = {0}, model[MOST];
    const size_t results = recorded_results(family);
    const size_t size = assay_mma_type_size(mma_probe_families[family].d);
    for (size_t i = 0; i < results; i++)
        if (fread((char *)chip + i * (size == 8 ? 8 : 4), size, 1, binary) != 1)
            return refuse(out, "mma_vectors.bin ends within %s", mma_probe_families[family].name);
    if (mma_probe_expect(mma_probe_model(family), family, mode, 0, mma_probe_recorded_tiles(family),
                         ASSAY_MMA_BEST, model))
        return refuse(out, "%s", assay_last_error());
    size_t where = 0;
    const uint64_t differing = mma_probe_differ(family, chip, model, results, &where);
    if (differing && !out->differing)
        snprintf(out->first, sizeof out->first, "%s %s result %zu: chip 0x%08x, model 0x%08x",
                 mma_probe_families[family].name, mma_probe_modes[mode], where, chip[where],
                 model[where]);
    out->compared += results;
    out->differing += differing;
    return true;
}

static bool replay_lines(FILE *text, FILE *binary, mma_probe_replay *out) {
    char line[256], kind[16], name[64], mode_name[16];
    for (int number = 1; fgets(line, sizeof line, text); number++) {
        unsigned tiles;
        unsigned long long digest;
        if (line[0] == '#') continue;
        if (sscanf(line, "%15s %63s %15s %u %llx", kind, name, mode_name, &tiles, &digest) != 5)
            return refuse(out, "mma_vectors.txt: line %d is malformed", number);
        const int family = find_family(kind, name), mode = find_mode(mode_name);
        if (family < 0 || mode < 0 || tiles != mma_probe_recorded_tiles(family))
            return refuse(out, "mma_vectors.txt: line %d: unknown block %s", number, name);
        out->stale += digest != mma_probe_digest(family, mode, tiles);
        if (!replay_block(binary, family, mode, out)) return false;
        out->blocks++;
    }
    return fgetc(binary) == EOF || refuse(out, "mma_vectors.bin holds more than its header says");
}

bool mma_probe_replay_folder(const char *folder, mma_probe_replay *out) {
    memset(out, 0, sizeof *out);
    char path[1024];
    snprintf(path, sizeof path, "%s/mma_vectors.txt", folder);
    FILE *text = fopen(path, "r");
    snprintf(path, sizeof path, "%s/mma_vectors.bin", folder);
    FILE *binary = fopen(path, "rb");
    const bool whole = text && binary ? replay_lines(text, binary, out)
                                      : refuse(out, "no mma_vectors.txt and .bin in %s", folder);
    if (text) fclose(text);
    if (binary) fclose(binary);
    return whole;
}
