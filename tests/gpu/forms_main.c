/* gpu_forms: sweeps every scalar form of the device layer on a GPU and compares it with the
 * executor, bit for bit. Usage: gpu_forms [--quick]. Exits 0 when nothing differs, 1 when something
 * does, 3 on a harness error, 77 when there is no device (or the build has no GPU back end).
 *
 * --quick strides through the 2^32 inputs of the unary forms instead of taking them all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/simt.h"
#include "backend.h"
#include "forms.h"

assay_kernel_entry assay_forms_simt, assay_forms_cuda, assay_forms_hip;

#define CHUNK (UINT32_C(1) << 24)
#define RANDOM_OPERANDS (UINT64_C(1) << 28)

static const struct {
    const char *name;
    int bits; /* of the operand, swept whole; 0: operands drawn by index */
} forms[FORM_COUNT] = {
#define FORM(name, bits) {#name, bits},
    FORMS(FORM)
#undef FORM
};

typedef struct sweep {
    assay_device device;
    assay_kernel_entry *entry;
    assay_simt *simt;
    uint32_t *device_out, *simt_out, *host_out;
} sweep;

/* Evaluates [first, first + count) on both; the number that differ, -1 on error. */
static int64_t compare(sweep *s, int form, uint64_t first, uint32_t count) {
    const assay_geometry wide = {.grid = {4096, 1, 1}, .block = {256, 1, 1}};
    const assay_geometry narrow = {.grid = {64, 1, 1}, .block = {32, 1, 1}};
    forms_params p = {
        .form = form, .first = first, .step = 1, .count = count, .out = s->device_out};
    if (s->entry(0, &wide, &p, s->device.target.stream)) return -1;
    p.out = s->simt_out;
    if (assay_forms_simt(0, &narrow, &p, s->simt)) return -1;
    if (s->device.download(&s->device, s->host_out, s->device_out, 4 * (size_t)count)) return -1;
    if (s->device.sync(&s->device)) return -1;
    int64_t differing = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (s->host_out[i] == s->simt_out[i]) continue;
        if (differing++ == 0)
            printf("  %s index 0x%llx: device 0x%08x, executor 0x%08x\n", forms[form].name,
                   (unsigned long long)(first + i), s->host_out[i], s->simt_out[i]);
    }
    return differing;
}

static int64_t sweep_form(sweep *s, int form, bool quick, uint64_t *compared) {
    const uint64_t total = forms[form].bits ? UINT64_C(1) << forms[form].bits : RANDOM_OPERANDS;
    const uint64_t step = quick && total > 8 * (uint64_t)CHUNK ? 31 * (uint64_t)CHUNK : CHUNK;
    int64_t differing = 0;
    *compared = 0;
    for (uint64_t first = 0; first < total; first += step) {
        const uint32_t count = total - first < CHUNK ? (uint32_t)(total - first) : CHUNK;
        const int64_t n = compare(s, form, first, count);
        if (n < 0) return -1;
        differing += n;
        *compared += count;
    }
    return differing;
}

static int open_all(sweep *s, bool use_hip) {
    const assay_backend backend = use_hip ? ASSAY_HIP : ASSAY_CUDA;
    const assay_status status = assay_device_open(backend, NULL, &s->device);
    if (status) {
        printf("gpu_forms: skipped: %s\n", assay_last_error());
        return status == ASSAY_ERR_UNSUPPORTED || status == ASSAY_ERR_DEVICE ? 77 : 3;
    }
    const assay_simt_options options = {.chip = s->device.target.chip};
    void *a, *b;
    if (assay_simt_create(&options, &s->simt) ||
        assay_simt_alloc(s->simt, "out", 4 * (size_t)CHUNK, 0, &b) ||
        s->device.alloc(&s->device, "out", 4 * (size_t)CHUNK, 0, &a))
        return 3;
    s->device_out = a;
    s->simt_out = b;
    s->host_out = malloc(4 * (size_t)CHUNK);
    return s->host_out ? 0 : 3;
}

int main(int argc, char **argv) {
    const bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        fprintf(stderr, "gpu_forms: unknown argument '%s'; usage: gpu_forms [--quick]\n", argv[1]);
        return 2;
    }
    sweep s = {.entry = NULL};
    bool use_hip = false;
#ifdef ASSAY_HAVE_HIP
    s.entry = assay_forms_hip;
    use_hip = true;
#endif
#ifdef ASSAY_HAVE_CUDA
    s.entry = assay_forms_cuda;
    use_hip = false;
#endif
    const int opened = open_all(&s, use_hip);
    if (opened) return opened;
    int64_t all = 0;
    for (int form = 0; form < FORM_COUNT; form++) {
        uint64_t compared;
        const int64_t differing = sweep_form(&s, form, quick, &compared);
        if (differing < 0) {
            fprintf(stderr, "gpu_forms: %s: %s\n", forms[form].name, assay_last_error());
            return 3;
        }
        printf("%-14s %12llu compared %12lld differing\n", forms[form].name,
               (unsigned long long)compared, (long long)differing);
        fflush(stdout);
        all += differing;
    }
    printf("gpu_forms: %d forms on %s, %lld differing\n", FORM_COUNT, s.device.target.chip->name,
           (long long)all);
    assay_simt_destroy(s.simt);
    s.device.close(&s.device);
    free(s.host_out);
    return all ? 1 : 0;
}
