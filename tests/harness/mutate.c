/* Mutation testing over a catalogue: selection, one child process a mutant, counts. */
#include "mutate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mutate_internal.h"

/* A child at work on one mutant; pid 0: a free place. */
typedef struct worker {
    pid_t pid;
    int pipe;
    double deadline;
    const assay_mutant *mutant;
    uint64_t hash;
} worker;

static void start_row(const assay_mutant *m, uint64_t hash, assay_mutant_row *row) {
    memset(row, 0, sizeof *row); /* padding included: rows travel as bytes */
    row->hash = hash;
    snprintf(row->id, sizeof row->id, "%s", m->id ? m->id : "");
    snprintf(row->class, sizeof row->class, "%s", m->class ? m->class : "");
    snprintf(row->file, sizeof row->file, "%s", m->file ? m->file : m->path);
    snprintf(row->source, sizeof row->source, "%s", m->source ? m->source : "");
}

/* In the child: a group of its own, so that compilers and suites can be ended with it. */
static void work(const mutate_build *build, const worker *w, int out) {
    assay_mutant_row row;
    setpgid(0, 0);
    start_row(w->mutant, w->hash, &row);
    mutate_one(build, w->mutant, &row);
    const char *bytes = (const char *)&row;
    for (size_t sent = 0; sent < sizeof row;) {
        const ssize_t n = write(out, bytes + sent, sizeof row - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(3);
        sent += (size_t)n;
    }
    _exit(0);
}

static bool start(const mutate_build *build, const assay_mutant *m, uint64_t hash, double timeout,
                  worker *w) {
    int ends[2];
    if (pipe(ends)) return false;
    *w = (worker){.mutant = m, .hash = hash, .pipe = ends[0], .deadline = mutate_now() + timeout};
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work(build, w, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(pid, pid); /* the child does so, too: whoever comes first */
    w->pid = pid;
    return true;
}

/* Ends a worker and says what came of it. */
static void finish(worker *w, bool late, double timeout, assay_mutant_row *row) {
    size_t got = 0;
    ssize_t n = 1;
    while (!late && got < sizeof *row && n > 0) {
        n = read(w->pipe, (char *)row + got, sizeof *row - got);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            got += (size_t)n;
    }
    kill(-w->pid, SIGKILL);
    int status = 0;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(w->pipe);
    w->pid = 0;
    if (got == sizeof *row) return;
    start_row(w->mutant, w->hash, row);
    row->status = ASSAY_MUTANT_NOT_RUN;
    if (late)
        snprintf(row->message, sizeof row->message, "no end within %.0f s", timeout);
    else
        snprintf(row->message, sizeof row->message, "the process that ran it ended by signal %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* Waits for one of the workers; NULL when none is at work. */
static worker *wait_one(worker *workers, int count, bool *late) {
    for (;;) {
        struct pollfd fds[64];
        worker *who[64];
        nfds_t n = 0;
        double nearest = 1e300;
        for (int i = 0; i < count; i++) {
            if (!workers[i].pid) continue;
            fds[n] = (struct pollfd){.fd = workers[i].pipe, .events = POLLIN};
            who[n++] = &workers[i];
            if (workers[i].deadline < nearest) nearest = workers[i].deadline;
        }
        if (n == 0) return NULL;
        const double left = nearest - mutate_now();
        poll(fds, n, left > 0 ? (int)(left * 1000) + 1 : 0);
        for (nfds_t i = 0; i < n; i++) {
            *late = fds[i].revents == 0 && mutate_now() >= who[i]->deadline;
            if (fds[i].revents || *late) return who[i];
        }
    }
}

static const assay_mutant_row *known_row(const assay_mutate_options *o, const assay_mutant *m,
                                         uint64_t hash) {
    for (size_t i = 0; i < o->known_count; i++) {
        const assay_mutant_row *r = &o->known[i];
        if (r->hash == hash && strcmp(r->id, m->id) == 0 && r->status <= ASSAY_MUTANT_EQUIVALENT)
            return r;
    }
    return NULL;
}

/* Every suite that a selected mutant may be killed by passes without one. */
static assay_status check_baselines(const mutate_build *build, const assay_catalogue *catalogue,
                                    const bool *selected) {
    char done[4096] = " ";
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < catalogue->count && !status; i++) {
        const assay_mutant *m = &catalogue->mutants[i];
        if (!selected[i] || catalogue->troubles[i]) continue;
        char copy[512], word[300], *rest = NULL;
        snprintf(copy, sizeof copy, "%s", m->suites ? m->suites : m->witness);
        for (char *name = strtok_r(copy, " ", &rest); name && !status;
             name = m->suites ? strtok_r(NULL, " ", &rest) : NULL) {
            snprintf(word, sizeof word, " %s ", name);
            if (strstr(done, word) || (!m->suites && !mutate_suite_exists(build, name))) continue;
            status = mutate_suite_baseline(build, name);
            snprintf(done + strlen(done), sizeof done - strlen(done), "%s ", name);
        }
    }
    return status;
}

typedef struct campaign {
    const assay_mutate_options *options;
    assay_mutate_totals *totals;
    int64_t done, total;
} campaign;

static void deliver(campaign *c, const assay_mutant_row *row) {
    assay_mutate_count(c->totals, row);
    c->done++;
    if (c->options->on_row) c->options->on_row(row, c->done, c->total, c->options->context);
}

static void collect(campaign *c, worker *workers, int jobs, double timeout) {
    assay_mutant_row row;
    bool late;
    worker *w = wait_one(workers, jobs, &late);
    if (!w) return;
    finish(w, late, timeout, &row);
    deliver(c, &row);
}

/* Hands one mutant to a free worker, waiting for one. */
static void hand_out(campaign *c, const mutate_build *build, const assay_mutant *m, uint64_t hash,
                     worker *workers, int jobs) {
    const double timeout = c->options->timeout > 0 ? c->options->timeout : 300;
    for (;;) {
        for (int i = 0; i < jobs; i++) {
            if (workers[i].pid) continue;
            if (start(build, m, hash, timeout, &workers[i])) return;
            assay_mutant_row row;
            start_row(m, hash, &row);
            row.status = ASSAY_MUTANT_NOT_RUN;
            snprintf(row.message, sizeof row.message, "no process: %s", strerror(errno));
            deliver(c, &row);
            return;
        }
        collect(c, workers, jobs, timeout);
    }
}

/* Delivers refused entries and the rows of an earlier run that still hold; says what is left. */
static bool *settle_known(campaign *c, const mutate_build *build, const assay_catalogue *catalogue,
                          const bool *selected) {
    bool *open = calloc(catalogue->count + 1, sizeof *open);
    for (size_t i = 0; open && i < catalogue->count; i++) {
        const assay_mutant *m = &catalogue->mutants[i];
        assay_mutant_row row;
        if (!selected[i]) continue;
        if (catalogue->troubles[i]) {
            start_row(m, 0, &row);
            row.status = ASSAY_MUTANT_REFUSED;
            snprintf(row.message, sizeof row.message, "%s", catalogue->troubles[i]);
            deliver(c, &row);
            continue;
        }
        const assay_mutant_row *known = known_row(c->options, m, mutate_hash(build, m));
        if (known) deliver(c, known);
        open[i] = !known;
    }
    return open;
}

assay_status assay_mutate(const assay_mutate_options *options, const assay_catalogue *catalogue,
                          const bool *selected, assay_mutate_totals *totals) {
    mutate_build build;
    worker workers[64] = {{.pid = 0}};
    campaign c = {.options = options, .totals = totals};
    const double begin = mutate_now();
    *totals = (assay_mutate_totals){.applied = 0};
    assay_status status = mutate_build_open(options->build, options->program, &build);
    if (status) return status;
    status = check_baselines(&build, catalogue, selected);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = options->jobs > 0 ? options->jobs : (int)cpus;
    jobs = jobs < 1 ? 1 : jobs > 64 ? 64 : jobs;
    for (size_t i = 0; i < catalogue->count; i++) c.total += selected[i];
    /* What is known already comes first: a run that is cut off loses none of it. */
    bool *open = status ? NULL : settle_known(&c, &build, catalogue, selected);
    if (!status && !open) status = assay_fail(ASSAY_ERR_MEMORY, "no memory for a campaign");
    for (size_t i = 0; i < catalogue->count && !status; i++) {
        const assay_mutant *m = &catalogue->mutants[i];
        if (open[i]) hand_out(&c, &build, m, mutate_hash(&build, m), workers, jobs);
    }
    free(open);
    while (!status && c.done < c.total)
        collect(&c, workers, jobs, options->timeout > 0 ? options->timeout : 300);
    totals->seconds = mutate_now() - begin;
    mutate_build_close(&build);
    return status;
}
