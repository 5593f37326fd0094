/* Running many cases: selection, worker threads, trust, results in order. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run_case.h"
#include "runner.h"
#include "trust.h"

typedef struct selection {
    assay_case *cases;
    size_t count, capacity;
    const assay_run_options *options;
    assay_status status;
} selection;

static bool select_case(const assay_case *c, void *context) {
    selection *s = context;
    bool matches;
    s->status = assay_case_matches(c, s->options->filter, s->options->filter_count, &matches);
    if (s->status) return false;
    if (!matches) return true;
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 1024;
        assay_case *grown = realloc(s->cases, capacity * sizeof *grown);
        if (!grown) {
            s->status = assay_fail(ASSAY_ERR_MEMORY, "no memory for %zu cases", capacity);
            return false;
        }
        s->cases = grown;
        s->capacity = capacity;
    }
    s->cases[s->count++] = *c;
    return true;
}

/* State that the workers of one run share. */
typedef struct run_state {
    const assay_run_options *options;
    const assay_case *cases;
    assay_result *results;
    size_t count;
    assay_trust *trust;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t next, done;
    int workers;       /* still running */
    char trouble[512]; /* why a worker could not start */
} run_state;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_one(run_state *s, assay_device *device, assay_device *twin, size_t i) {
    assay_result *r = &s->results[i];
    const double start = now();
    assay_operands o;
    r->c = s->cases[i];
    r->backend = assay_backend_name(s->options->backend);
    r->check = "";
    if (!assay_op_runs_on(r->c.op, device->target.chip)) {
        r->word = ASSAY_SKIPPED;
        snprintf(r->message, sizeof r->message, "no instance of %s for %s (%s)", r->c.op->name,
                 device->target.chip->name, device->target.chip->arch);
        return;
    }
    assay_status status = assay_operands_create(&r->c, &o);
    if (!status) {
        assay_run_case(device, twin, &r->c, &o, s->options, r);
        /* Trust is the data's, not the kernel's: a failed case shows ablations, too. */
        if (s->options->trust && (r->word == ASSAY_PASSED || r->word == ASSAY_FAILED))
            status = assay_trust_examine(s->trust, &r->c, &o, s->options->contract);
        assay_operands_free(&o);
    }
    if (status) {
        r->word = ASSAY_HARNESS_ERROR;
        snprintf(r->message, sizeof r->message, "%s", assay_last_error());
    }
    r->seconds = now() - start;
}

static assay_status open_device(const assay_run_options *options, assay_device *device) {
    if (options->backend == ASSAY_SIMT && options->checked)
        return assay_device_open_checked(options->chip, device);
    return assay_device_open(options->backend, options->chip, device);
}

static void *work(void *context) {
    run_state *s = context;
    assay_device device, executor, *twin = NULL;
    assay_status status = open_device(s->options, &device);
    if (!status && s->options->backend != ASSAY_SIMT) {
        status = assay_device_open(ASSAY_SIMT, device.target.chip, &executor);
        if (status) device.close(&device);
        twin = &executor;
    }
    if (status) {
        pthread_mutex_lock(&s->lock);
        snprintf(s->trouble, sizeof s->trouble, "%s", assay_last_error());
        s->workers--;
        pthread_cond_broadcast(&s->moved);
        pthread_mutex_unlock(&s->lock);
        return NULL;
    }
    device.target.kernels = s->options->kernels;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        const size_t i = s->next;
        if (i < s->count) s->next++;
        pthread_mutex_unlock(&s->lock);
        if (i >= s->count) break;
        run_one(s, &device, twin, i);
        pthread_mutex_lock(&s->lock);
        s->done++;
        pthread_cond_broadcast(&s->moved);
        pthread_mutex_unlock(&s->lock);
    }
    if (twin) twin->close(twin);
    device.close(&device);
    pthread_mutex_lock(&s->lock);
    s->workers--;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Waits for the workers, reporting progress about ten times a second. */
static void watch(run_state *s) {
    char line[ASSAY_CASE_LINE];
    pthread_mutex_lock(&s->lock);
    while (s->workers > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        while (s->workers > 0 && pthread_cond_timedwait(&s->moved, &s->lock, &until) != ETIMEDOUT) {
        }
        if (!s->options->on_progress || s->next == 0) continue;
        const size_t done = s->done, shown = s->next - 1;
        pthread_mutex_unlock(&s->lock);
        assay_case_format(&s->cases[shown], line);
        s->options->on_progress((int64_t)done, (int64_t)s->count, line, s->options->context);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

static void settle_trust(const run_state *s) {
    char names[512];
    for (size_t i = 0; i < s->count; i++) {
        assay_result *r = &s->results[i];
        if (r->word != ASSAY_PASSED || !assay_trust_missing(s->trust, &r->c, names, sizeof names))
            continue;
        r->word = ASSAY_MISTRUSTED;
        r->check = "trust";
        snprintf(r->message, sizeof r->message,
                 "the selected data of this class would also pass a kernel with: %s", names);
    }
}

static void deliver(const assay_run_options *options, const assay_result *r, assay_totals *totals) {
    assay_totals_add(totals, r);
    if (options->on_result) options->on_result(r, options->context);
}

/* Every case SKIPPED: there is nothing to run them on. */
static void skip_all(const assay_run_options *options, const assay_case *cases, size_t count,
                     const char *why, assay_totals *totals) {
    for (size_t i = 0; i < count; i++) {
        assay_result r = {.c = cases[i],
                          .word = ASSAY_SKIPPED,
                          .backend = assay_backend_name(options->backend),
                          .check = ""};
        snprintf(r.message, sizeof r.message, "%s", why);
        deliver(options, &r, totals);
    }
}

static int worker_count(const assay_run_options *options, size_t count) {
    long jobs = options->jobs > 0 ? options->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs < 1) jobs = 1;
    return (size_t)jobs > count ? (int)count : (int)jobs;
}

static assay_status run_workers(run_state *s, int jobs) {
    pthread_t threads[256];
    int started = 0;
    if (jobs > 256) jobs = 256;
    s->workers = jobs;
    for (int i = 0; i < jobs; i++) {
        if (pthread_create(&threads[started], NULL, work, s) == 0) {
            started++;
        } else {
            pthread_mutex_lock(&s->lock);
            s->workers--;
            pthread_mutex_unlock(&s->lock);
        }
    }
    watch(s);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    if (s->done == s->count) return ASSAY_OK;
    return assay_fail(ASSAY_ERR_INTERNAL, "%zu of %zu cases ran: %s", s->done, s->count,
                      s->trouble[0] ? s->trouble : "no worker thread could start");
}

/* What each op among the cases must refuse: once an op and run. */
static assay_status run_refusals(const assay_run_options *options, const assay_case *cases,
                                 size_t count, assay_totals *totals) {
    assay_device device;
    assay_status status = open_device(options, &device);
    if (status) return status;
    device.target.kernels = options->kernels;
    for (size_t o = 0; o < assay_op_count(); o++) {
        const assay_op *op = assay_op_at(o);
        bool selected = false;
        for (size_t i = 0; i < count && !selected; i++) selected = cases[i].op == op;
        if (!selected || !op->refusals || !assay_op_runs_on(op, device.target.chip)) continue;
        assay_result r = {.backend = assay_backend_name(options->backend)};
        assay_run_refusals(&device, op, &r);
        if (r.word != ASSAY_PASSED) deliver(options, &r, totals);
    }
    device.close(&device);
    return ASSAY_OK;
}

assay_status assay_run_cases(const assay_run_options *options, const assay_case *cases,
                             size_t count, assay_totals *totals) {
    char why[512];
    memset(totals, 0, sizeof *totals);
    if (count == 0) return assay_fail(ASSAY_ERR_ARGUMENT, "no case is selected");
    const double start = now();
    if (!assay_backend_usable(options->backend, why, sizeof why)) {
        skip_all(options, cases, count, why, totals);
        return ASSAY_OK;
    }
    run_state s = {.options = options,
                   .cases = cases,
                   .count = count,
                   .results = calloc(count, sizeof *s.results),
                   .trust = assay_trust_create()};
    if (!s.results || !s.trust) {
        free(s.results);
        assay_trust_free(s.trust);
        return assay_fail(ASSAY_ERR_MEMORY, "no memory for %zu results", count);
    }
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.moved, NULL);
    assay_status status = run_workers(&s, worker_count(options, count));
    if (!status && options->trust) settle_trust(&s);
    for (size_t i = 0; i < count && !status; i++) deliver(options, &s.results[i], totals);
    if (!status) status = run_refusals(options, cases, count, totals);
    totals->seconds = now() - start;
    pthread_cond_destroy(&s.moved);
    pthread_mutex_destroy(&s.lock);
    assay_trust_free(s.trust);
    free(s.results);
    return status;
}

assay_status assay_run(const assay_run_options *options, assay_totals *totals) {
    selection s = {.options = options};
    memset(totals, 0, sizeof *totals);
    for (size_t i = 0; i < assay_op_count() && !s.status; i++)
        assay_op_at(i)->grid(options->level, select_case, &s);
    if (!s.status && s.count == 0)
        s.status = assay_fail(ASSAY_ERR_ARGUMENT, "the filter selects no case");
    if (!s.status) s.status = assay_run_cases(options, s.cases, s.count, totals);
    free(s.cases);
    return s.status;
}
