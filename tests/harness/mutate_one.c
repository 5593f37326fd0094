/* One mutant from its text to its row. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "launcher.h"
#include "mutate_internal.h"
#include "text_file.h"

double mutate_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at) {
    (void)info, (void)kind, (void)at;
    return remove(path);
}

/* What an earlier run left would be found by the compiler, too. */
static void clear_folder(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static void settle(assay_mutant_row *row, assay_mutant_status status, const char *message) {
    row->status = status;
    snprintf(row->message, sizeof row->message, "%.*s", (int)strcspn(message, "\n"), message);
}

/* A program or suite older than the source would be compared with itself plus other changes. */
static assay_status up_to_date(const mutate_build *b, const assay_mutant *m) {
    char path[4096];
    struct stat source, program;
    snprintf(path, sizeof path, "%s/%s", b->root, m->file);
    if (stat(path, &source) || stat(b->program, &program))
        return assay_fail(ASSAY_ERR_IO, "%s: cannot be examined", path);
    if (source.st_mtime <= program.st_mtime || m->suites) return ASSAY_OK;
    return assay_fail(ASSAY_ERR_ARGUMENT, "%s is newer than the program: build first", m->file);
}

/* Tries the suites named in `names`, skipping those that the build lacks when `optional`. */
static assay_status try_suites(mutate_site *site, const char *names, bool optional,
                               assay_mutant_row *row, bool *killed) {
    char copy[512], *rest = NULL;
    suite_failure failure;
    assay_status status = ASSAY_OK;
    *killed = false;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &rest); name && !status && !*killed;
         name = strtok_r(NULL, " ", &rest)) {
        if (optional && !mutate_suite_exists(site->build, name)) continue;
        status = mutate_suite(site, name, killed, &failure);
        if (!*killed) continue;
        snprintf(row->killed_by, sizeof row->killed_by, "unit.%s", name);
        snprintf(row->line, sizeof row->line, "%s", failure.test);
        snprintf(row->message, sizeof row->message, "%s", failure.message);
    }
    return status;
}

static assay_status run_kernel(mutate_site *site, assay_mutant_row *row) {
    const assay_mutant *m = site->mutant;
    const assay_op *op = mutate_witness_op(m);
    char library[4096];
    void *kernels;
    bool differs, killed = false;
    if (!op) return ASSAY_ERR_FORMAT;
    const double start = mutate_now();
    assay_status status = mutate_kernel_library(site, op->name, library, sizeof library);
    row->build_seconds = mutate_now() - start;
    if (!status) status = assay_kernels_open(library, &kernels);
    if (status) return status;
    status = mutate_admit(m, kernels, &differs);
    /* One case proves no equivalence: a declared one must hold in all that the lane runs. */
    if (!status && !differs && m->equivalent) status = mutate_replay(op, kernels, &differs);
    if (!status && !differs) {
        settle(row, ASSAY_MUTANT_EQUIVALENT,
               m->equivalent ? m->equivalent : "the witness shows no difference");
        row->declared = m->equivalent != NULL;
        return ASSAY_OK;
    }
    if (!status && m->equivalent)
        status = assay_fail(ASSAY_ERR_FORMAT, "declared equivalent, but a case gives other bits");
    if (!status) status = mutate_lanes(op, kernels, row, &killed);
    if (!status && !killed) status = try_suites(site, op->name, true, row, &killed);
    if (!status && !killed) {
        settle(row, ASSAY_MUTANT_SURVIVED, "");
        status = mutate_replay(op, kernels, &row->replay_only);
    }
    if (!status && killed) row->status = ASSAY_MUTANT_KILLED;
    return status; /* the library stays open: a fiber's stack may still name its code */
}

static assay_status run_suites(mutate_site *site, assay_mutant_row *row) {
    bool killed;
    const assay_status status = try_suites(site, site->mutant->suites, false, row, &killed);
    if (!status && killed) row->status = ASSAY_MUTANT_KILLED;
    if (!status && !killed) settle(row, ASSAY_MUTANT_SURVIVED, "");
    return status;
}

void mutate_one(const mutate_build *build, const assay_mutant *m, assay_mutant_row *row) {
    char tree[4096];
    mutate_site *site = calloc(1, sizeof *site);
    if (!site) {
        settle(row, ASSAY_MUTANT_NOT_RUN, "no memory");
        return;
    }
    site->build = build;
    site->mutant = m;
    snprintf(site->folder, sizeof site->folder, "%s/mutants/%s", build->folder, m->id);
    snprintf(tree, sizeof tree, "%s/tree", site->folder);
    clear_folder(site->folder);
    const double start = mutate_now();
    assay_status status = assay_mutant_plant(m, build->root, tree);
    if (status) {
        settle(row, ASSAY_MUTANT_REFUSED, assay_last_error());
    } else {
        status = up_to_date(build, m);
        if (!status) status = m->suites ? run_suites(site, row) : run_kernel(site, row);
        if (status) settle(row, ASSAY_MUTANT_NOT_RUN, assay_last_error());
    }
    row->seconds = mutate_now() - start;
    free(site);
}

static uint64_t add_file(uint64_t hash, const char *path) {
    char *text;
    size_t size;
    if (assay_text_read(path, &text, &size)) return assay_fnv(hash, "missing", 7);
    hash = assay_fnv(hash, text, size);
    free(text);
    return hash;
}

uint64_t mutate_hash(const mutate_build *b, const assay_mutant *m) {
    char path[4096], copy[512], *rest = NULL;
    uint64_t hash = assay_fnv(m->hash, b->tests, strlen(b->tests));
    snprintf(path, sizeof path, "%s/%s", b->root, m->file);
    hash = add_file(hash, path);
    hash = add_file(hash, b->program);
    snprintf(copy, sizeof copy, "%s", m->suites ? m->suites : m->witness);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        snprintf(path, sizeof path, "%s/unit/unit_%s", b->folder, name);
        hash = add_file(hash, path);
        if (!m->suites) break; /* of a witness, the op's own suite */
    }
    return hash;
}
