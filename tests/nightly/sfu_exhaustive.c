/* sfu_exhaustive [FUNCTION...]: the models of the special-function unit over all 2^32 operands
 * (2^16 of the 16-bit forms have no recorded hash), against hashes of what an H200 returned.
 *
 * hash = sum over x of mix(x * 2^32 + y) modulo 2^64; mix is one step of splitmix64. Recorded with
 * CUDA 13.0.88, driver 580.159.04. Exits 0 when every hash agrees, 1 when one does not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/sfu.h"

#define CHUNK (UINT32_C(1) << 20)
#define MOST_THREADS 256

static const struct {
    const char *name;
    uint64_t hash;
} recorded[] = {
    {"ex2.approx.f32", 0x4c45b03f3d023748},
    {"ex2.approx.ftz.f32", 0x2a57ff826f110821},
    {"lg2.approx.f32", 0xcc83f9c468dc9cb8},
    {"lg2.approx.ftz.f32", 0xcd13251b9cb415db},
    {"rcp.approx.f32", 0x3ed3e5afc31186ee},
    {"rcp.approx.ftz.f32", 0x1c78472e399b4d10},
    {"rsqrt.approx.f32", 0xef6cd62c2b31d74d},
    {"rsqrt.approx.ftz.f32", 0xd74c5d2cdf04a5cd},
    {"sqrt.approx.f32", 0x4a041c4267bb1550},
    {"sqrt.approx.ftz.f32", 0x0fcf47ec1c0722e8},
    {"tanh.approx.f32", 0xc7ee44d3b0c46ece},
    {"sin.approx.f32", 0x4798e9bee619300a},
    {"cos.approx.f32", 0xb50c6ef420b1243c},
    {"sin.approx.ftz.f32", 0x4798e9bee619300a},
    {"cos.approx.ftz.f32", 0xb50c6ef420b1243c},
    {"expf", 0x3c4ec9353d8a4770},
    {"__expf", 0x752ae15fd249c456},
    {"__logf", 0x147cc9493541418f},
};

typedef struct job {
    assay_sfu_function function;
    _Atomic uint64_t next, hash;
} job;

static uint64_t mix(uint64_t z) {
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void *work(void *argument) {
    enum { BLOCK = 4096 };
    job *j = argument;
    uint32_t x[BLOCK], y[BLOCK];
    for (uint64_t first; (first = atomic_fetch_add(&j->next, CHUNK)) < UINT64_C(1) << 32;) {
        uint64_t hash = 0;
        for (uint32_t block = 0; block < CHUNK; block += BLOCK) {
            for (uint32_t i = 0; i < BLOCK; i++) x[i] = (uint32_t)first + block + i;
            assay_sfu_many(j->function, x, y, BLOCK, ASSAY_SFU_BEST);
            for (uint32_t i = 0; i < BLOCK; i++) hash += mix((uint64_t)x[i] << 32 | y[i]);
        }
        atomic_fetch_add(&j->hash, hash);
    }
    return NULL;
}

static uint64_t hash_all(assay_sfu_function function) {
    job j = {.function = function};
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_t handle[MOST_THREADS];
    long started = 0;
    while (started < threads && pthread_create(&handle[started], NULL, work, &j) == 0) started++;
    if (started == 0) work(&j);
    for (long i = 0; i < started; i++) pthread_join(handle[i], NULL);
    return j.hash;
}

static bool asked(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    int functions = 0, differing = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        assay_sfu_function function;
        if (!asked(argc, argv, recorded[i].name)) continue;
        if (!assay_sfu_parse(recorded[i].name, &function)) return 3;
        const uint64_t hash = hash_all(function);
        const bool equal = hash == recorded[i].hash;
        printf("%-22s %016llx %s\n", recorded[i].name, (unsigned long long)hash,
               equal ? "equal" : "DIFFERS");
        fflush(stdout);
        functions++;
        differing += !equal;
    }
    printf("sfu_exhaustive: %d functions over 2^32 operands, %d differing\n", functions, differing);
    return functions == 0 ? 2 : differing ? 1 : 0;
}
