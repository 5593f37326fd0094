/* assay doctor: what this machine can verify, what it cannot, and the command that changes that. */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/simt.h"
#include "backend.h"
#include "commands.h"
#include "json_file.h"

static const char usage[] = "usage: assay doctor [--json FILE]\n";

typedef enum mark {
    HAVE,   /* there */
    LACK,   /* not there; the core does without */
    BROKEN, /* the core needs it */
} mark;

static const char *const mark_text[] = {"[ok]", "[--]", "[!!]"};
static const char *const mark_key[] = {"have", "lack", "broken"};

#define MAX_LINES 64

typedef struct line {
    const char *area; /* "host", "back end", ... */
    char item[48];
    mark mark;
    char detail[256];
    const char *remedy; /* a command; NULL when there is none or none is due */
} line;

typedef struct findings {
    line lines[MAX_LINES];
    size_t count;
    bool runs[ASSAY_BACKEND_COUNT];
    const assay_chip *chip[ASSAY_BACKEND_COUNT]; /* of the device present */
} findings;

__attribute__((format(printf, 6, 7))) static void note(findings *f, const char *area,
                                                       const char *item, mark m, const char *remedy,
                                                       const char *format, ...) {
    if (f->count == MAX_LINES) return;
    line *l = &f->lines[f->count++];
    *l = (line){.area = area, .mark = m, .remedy = m == HAVE ? NULL : remedy};
    snprintf(l->item, sizeof l->item, "%s", item);
    va_list args;
    va_start(args, format);
    vsnprintf(l->detail, sizeof l->detail, format, args);
    va_end(args);
}

/* Finds a program on PATH; false when it is not there. */
static bool on_path(const char *name, char found[512]) {
    const char *path = getenv("PATH");
    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        snprintf(found, 512, "%.*s/%s", length, path, name);
        if (length > 0 && access(found, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* The first of `names` (NULL-terminated) that is on PATH, or is a path that can be run. */
static bool find_program(const char *const *names, char found[512]) {
    for (; *names; names++) {
        if (!strchr(*names, '/') && on_path(*names, found)) return true;
        if (strchr(*names, '/') && access(*names, X_OK) == 0) {
            snprintf(found, 512, "%s", *names);
            return true;
        }
    }
    return false;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static void look_at_host(findings *f) {
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2"), fma = __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f");
    note(f, "host", "processor", avx2 && fma ? HAVE : BROKEN, NULL, "x86-64%s%s%s; %ld online",
         avx2 ? ", AVX2" : ", no AVX2", fma ? ", FMA" : ", no FMA", avx512 ? ", AVX-512" : "",
         sysconf(_SC_NPROCESSORS_ONLN));
#else
    note(f, "host", "processor", HAVE, NULL, "%ld online", sysconf(_SC_NPROCESSORS_ONLN));
#endif
    assay_simt *simt = NULL;
    f->runs[ASSAY_SIMT] = assay_simt_create(NULL, &simt) == ASSAY_OK;
    if (f->runs[ASSAY_SIMT])
        note(f, "host", "executor", HAVE, NULL,
             "arithmetic probe passed: this CPU gives the chips' bits");
    else
        note(f, "host", "executor", BROKEN, NULL, "%.200s", assay_last_error());
    assay_simt_destroy(simt);
}

static void look_at_backend(findings *f, assay_backend backend, const char *node,
                            const char *build) {
    char item[32];
    const char *name = assay_backend_name(backend);
    const bool built = assay_backend_built(backend), present = exists(node);
    snprintf(item, sizeof item, "%s back end", name);
    note(f, "devices", item, built ? HAVE : LACK, build, built ? "built" : "not in this build");
    snprintf(item, sizeof item, "%s device", name);
    assay_device device;
    if (!built) {
        note(f, "devices", item, present ? HAVE : LACK, NULL,
             present ? "%s is there; this build cannot use it" : "none: %s is not there", node);
    } else if (assay_device_open(backend, NULL, &device) == ASSAY_OK) {
        f->runs[backend] = true;
        f->chip[backend] = device.target.chip;
        note(f, "devices", item, HAVE, NULL, "%s (%s)", device.target.chip->name,
             device.target.chip->arch);
        device.close(&device);
    } else {
        note(f, "devices", item, LACK, NULL, "%.200s", assay_last_error());
    }
}

static void look_for(findings *f, const char *area, const char *item, const char *const *names,
                     const char *purpose, const char *remedy) {
    char found[512];
    const bool there = find_program(names, found);
    note(f, area, item, there ? HAVE : LACK, remedy, "%.120s%s%s",
         there ? found : "not found: ", there ? "; " : "", purpose);
}

#define FIND(...) ((const char *const[]){__VA_ARGS__, NULL})

static void look_at_tools(findings *f) {
    static const char *const core = "YES=1 ci/bootstrap core";
    static const char *const gpu = "YES=1 ci/bootstrap gpu";
    look_for(f, "compilers", "nvcc",
             FIND("nvcc", "/usr/local/cuda/bin/nvcc", "build/tools/cuda/bin/nvcc"),
             "builds the kernels for NVIDIA", gpu);
    look_for(f, "compilers", "clang for AMDGPU",
             FIND("clang++-22", "clang++-19", "clang++-18", "amdclang++"),
             "builds the kernels for AMD", gpu);
    const bool hip = exists("/usr/include/hip/hip_runtime_api.h") ||
                     exists("/opt/rocm/include/hip/hip_runtime_api.h");
    note(f, "compilers", "HIP runtime", hip ? HAVE : LACK, gpu, "headers %s",
         hip ? "found" : "not found");
    look_for(f, "compilers", "clang", FIND("clang"), "sanitizers and fuzzing (preset asan)", core);
    look_for(f, "tools", "cmake", FIND("cmake"), "builds", core);
    look_for(f, "tools", "ninja", FIND("ninja"), "builds", core);
    look_for(f, "tools", "lcov", FIND("lcov"), "line coverage (make coverage)", core);
    look_for(f, "tools", "python3", FIND("python3"), "the interop lane", core);
    look_for(f, "tools", "cuobjdump", FIND("build/tools/bin/cuobjdump", "cuobjdump"),
             "shows which chips an object holds code for", gpu);
    const bool venv = exists("build/venv/.have");
    note(f, "tools", "interop environment", venv ? HAVE : LACK, "YES=1 ci/bootstrap interop",
         "build/venv %s; judges NumPy on a real model's weights",
         venv ? "found" : "not found from this folder");
    look_for(f, "tools", "chromium", FIND("chromium", "chromium-browser"),
             "pictures of the HTML reports", "YES=1 ci/bootstrap report");
}

/* True when the space-separated list has the word. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

/* The chips of one instance, and where this machine runs it. */
static void describe_instance(const findings *f, const assay_kernel *k, char *chips, size_t size,
                              char *where, size_t where_size) {
    size_t used = 0, used_where = 0;
    chips[0] = where[0] = '\0';
    for (size_t i = 0; i < assay_chip_count(); i++) {
        const assay_chip *chip = assay_chip_at(i);
        if (!has_word(k->archs, chip->arch) || used >= size) continue;
        used += (size_t)snprintf(chips + used, size - used, "%s%s", used ? " " : "", chip->name);
        for (int b = ASSAY_CUDA; b < ASSAY_BACKEND_COUNT; b++)
            if (f->runs[b] && f->chip[b] == chip && used_where < where_size)
                used_where += (size_t)snprintf(where + used_where, where_size - used_where,
                                               "%s itself, ", chip->name);
    }
    if (used_where < where_size)
        snprintf(where + used_where, where_size - used_where, "%s",
                 f->runs[ASSAY_SIMT] ? "executor" : "nothing");
}

static void print(FILE *out, const findings *f) {
    const char *area = "";
    for (size_t i = 0; i < f->count; i++) {
        const line *l = &f->lines[i];
        if (strcmp(area, l->area) != 0) fprintf(out, "%s%s\n", i ? "\n" : "", l->area);
        area = l->area;
        fprintf(out, "  %s %-20s %s\n", mark_text[l->mark], l->item, l->detail);
        if (l->remedy) fprintf(out, "       %-20s get it: %s\n", "", l->remedy);
    }
    fprintf(out,
            "\nkernels: what is in the instance table, for which chips, and what runs it here\n");
    for (size_t i = 0; i < assay_kernel_count(); i++) {
        const assay_kernel *k = assay_kernel_at(i);
        char chips[256], where[128];
        describe_instance(f, k, chips, sizeof chips, where, sizeof where);
        fprintf(out, "  %-10s %-11s %s: on %s\n", k->op, k->dtypes, chips, where);
    }
    fprintf(out, "\n%s\n",
            f->runs[ASSAY_SIMT]
                ? "The core is usable: every kernel can be judged here by the executor."
                : "The core is not usable: kernels cannot be run on this CPU.");
    if (!f->runs[ASSAY_CUDA] && !f->runs[ASSAY_HIP])
        fprintf(out,
                "No chip is usable here: what the compilers for the chips do to a kernel, and the\n"
                "chips' own instructions, are confirmed only on a machine that has one.\n");
}

static cJSON *report(const findings *f) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "assay.doctor/1");
    cJSON *totals = cJSON_AddObjectToObject(root, "totals");
    int counts[3] = {0};
    for (size_t i = 0; i < f->count; i++) counts[f->lines[i].mark]++;
    for (int m = HAVE; m <= BROKEN; m++) cJSON_AddNumberToObject(totals, mark_key[m], counts[m]);
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    for (size_t i = 0; i < f->count; i++) {
        const line *l = &f->lines[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, row);
        cJSON_AddStringToObject(row, "area", l->area);
        cJSON_AddStringToObject(row, "item", l->item);
        cJSON_AddStringToObject(row, "status", mark_key[l->mark]);
        cJSON_AddStringToObject(row, "detail", l->detail);
        if (l->remedy)
            cJSON_AddStringToObject(row, "remedy", l->remedy);
        else
            cJSON_AddNullToObject(row, "remedy");
    }
    cJSON *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (size_t i = 0; i < assay_kernel_count(); i++) {
        const assay_kernel *k = assay_kernel_at(i);
        char chips[256], where[128];
        describe_instance(f, k, chips, sizeof chips, where, sizeof where);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(kernels, row);
        cJSON_AddStringToObject(row, "op", k->op);
        cJSON_AddStringToObject(row, "dtypes", k->dtypes);
        cJSON_AddStringToObject(row, "chips", chips);
        cJSON_AddStringToObject(row, "runs_on", where);
    }
    return root;
}

int cmd_doctor(int argc, char **argv) {
    const char *json = NULL;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--json") == 0) json = argv[2];
    if (argc != 1 && !json) {
        fputs(usage, stderr);
        return 2;
    }
    static findings f;
    look_at_host(&f);
    look_at_backend(&f, ASSAY_CUDA, "/dev/nvidia0",
                    "cmake --preset cuda && cmake --build --preset cuda");
    look_at_backend(&f, ASSAY_HIP, "/dev/kfd", "cmake --preset hip && cmake --build --preset hip");
    look_at_tools(&f);
    print(json_file_text(json), &f);
    if (json && !json_file_write("doctor", json, report(&f))) return 3;
    return f.runs[ASSAY_SIMT] && assay_kernel_count() > 0 ? 0 : 3;
}
