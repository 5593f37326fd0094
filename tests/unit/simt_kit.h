/* What the executor's tests share. Kernels here are plain C against the lane half. */
#ifndef ASSAY_TESTS_UNIT_SIMT_KIT_H
#define ASSAY_TESTS_UNIT_SIMT_KIT_H

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#include "assay/simt.h"

#if defined(__SANITIZE_ADDRESS__)
#define KIT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KIT_ASAN 1
#endif
#endif
#ifndef KIT_ASAN
#define KIT_ASAN 0
#endif

/* A site, and what a message calls it, written in one place. */
#define SITE(name, operation, line)                                                                \
    static const assay_simt_site name = {operation, "kernels/test/kernel.cu", line}

#define MEMBERS(array) (sizeof(array) / sizeof *(array))

static inline assay_simt *make_simt(const char *chip, int threads, uint64_t seed) {
    assay_simt_options options = {
        .chip = assay_chip_find(chip), .seed = seed, .host_threads = threads};
    assay_simt *simt = NULL;
    cr_assert_eq(assay_simt_create(&options, &simt), ASSAY_OK, "%s", assay_last_error());
    return simt;
}

static inline void *make_tensor(assay_simt *simt, const char *name, size_t bytes) {
    void *pointer = NULL;
    cr_assert_eq(assay_simt_alloc(simt, name, bytes, 0, &pointer), ASSAY_OK, "%s",
                 assay_last_error());
    return pointer;
}

static inline assay_simt_launch make_launch(void (*entry)(const void *), const void *params,
                                            uint32_t blocks, uint32_t threads) {
    return (assay_simt_launch){.name = "kernel<bf16>",
                               .entry = entry,
                               .params = params,
                               .geometry = {{blocks, 1, 1}, {threads, 1, 1}, 0}};
}

static inline void run_ok(assay_simt *simt, void (*entry)(const void *), const void *params,
                          uint32_t blocks, uint32_t threads) {
    assay_simt_launch launch = make_launch(entry, params, blocks, threads);
    cr_assert_eq(assay_simt_run(simt, &launch), ASSAY_OK, "%s", assay_last_error());
}

/* A barrier, a shuffle and shared memory: runs only when nothing of an earlier launch is left. */
static inline void kit_sound(const void *params) {
    SITE(array, "dev_shared", 901);
    SITE(barrier, "dev_barrier", 902);
    SITE(shuffle, "dev_shfl_xor", 903);
    const assay_simt_lane *self = assay_simt_self;
    uint32_t *sums = assay_simt_shared("sums", 2 * sizeof(uint32_t), 4, &array);
    uint64_t sum = self->thread + 1;
    uint64_t mask = self->warp_size == 64 ? ~UINT64_C(0) : UINT32_MAX;
    for (uint32_t step = self->warp_size / 2; step > 0; step /= 2)
        sum += assay_simt_warp(ASSAY_SIMT_SHFL_XOR, mask, sum, step, self->warp_size, &shuffle);
    if (self->lane == 0) sums[self->warp] = (uint32_t)sum;
    assay_simt_barrier(&barrier);
    uint32_t *out = *(uint32_t *const *)params;
    out[self->block_idx[0] * 128 + self->thread] = sums[0] + sums[1];
}

static inline void expect_sound(assay_simt *simt) {
    uint32_t warp = assay_simt_chip(simt)->warp_size, threads = 2 * warp;
    uint32_t *out = make_tensor(simt, "sound", 4 * 128 * sizeof *out);
    run_ok(simt, kit_sound, &out, 4, threads);
    for (uint32_t block = 0; block < 4; block++)
        for (uint32_t i = 0; i < threads; i++)
            cr_assert_eq(out[block * 128 + i], threads * (threads + 1) / 2, "block %u lane %u",
                         block, i);
    cr_assert_eq(assay_simt_free(simt, out), ASSAY_OK);
}

/* The launch fails with `status`, its message holds each of the texts, and the executor is as good
 * as new afterwards. */
static inline void expect_failure(assay_simt *simt, const assay_simt_launch *launch,
                                  assay_status status, const char *const *texts) {
    assay_fail(ASSAY_OK, "no message");
    assay_status got = assay_simt_run(simt, launch);
    cr_expect_eq(got, status, "%s: %s", assay_status_name(got), assay_last_error());
    for (; *texts != NULL; texts++)
        cr_expect(strstr(assay_last_error(), *texts) != NULL, "\"%s\" is not in \"%s\"", *texts,
                  assay_last_error());
    expect_sound(simt);
}

#define EXPECT_KERNEL_ERROR(simt, launch, ...)                                                     \
    expect_failure(simt, launch, ASSAY_ERR_KERNEL, (const char *const[]){__VA_ARGS__, NULL})
#define EXPECT_REFUSED(simt, launch, ...)                                                          \
    expect_failure(simt, launch, ASSAY_ERR_ARGUMENT, (const char *const[]){__VA_ARGS__, NULL})

#endif
