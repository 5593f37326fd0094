#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BAR 20
#define CLOCK 64   /* characters of a time, with room for what a long could hold */
#define REDRAW 0.1 /* seconds between drawings: more are not seen, and cost time */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t width_of(FILE *out) {
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col < 2) return 79;
    return (size_t)size.ws_col - 1; /* a full line would wrap */
}

void assay_progress_start(assay_progress *p, FILE *out) {
    bool wanted = isatty(fileno(out)) && !getenv("CI");
    *p = (assay_progress){.out = wanted ? out : NULL, .started = now()};
}

static void clock_text(char text[CLOCK], double seconds) {
    long s = seconds < 0 ? 0 : seconds < 3.6e6 ? (long)seconds : 3600000;
    if (s < 3600)
        snprintf(text, CLOCK, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, CLOCK, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void assay_progress_text(char *text, size_t size, size_t width, int64_t done, int64_t total,
                         double elapsed, const char *line) {
    char bar[BAR + 1], gone[CLOCK], left[CLOCK] = "?";
    double share = total > 0 ? (double)done / (double)total : 0;
    for (int i = 0; i < BAR; i++) bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    clock_text(gone, elapsed);
    if (done > 0) clock_text(left, elapsed / share - elapsed);
    snprintf(text, size < width + 1 ? size : width + 1,
             "[%s] %" PRId64 "/%" PRId64 "  %s, %s left  %s", bar, done, total, gone, left, line);
}

void assay_progress_update(assay_progress *p, int64_t done, int64_t total, const char *line) {
    double time = now();
    if (!p->out || (p->visible && time - p->drawn < REDRAW)) return;
    char text[512];
    assay_progress_text(text, sizeof text, width_of(p->out), done, total, time - p->started, line);
    fprintf(p->out, "\r%s\033[K", text);
    fflush(p->out);
    p->visible = true;
    p->drawn = time;
}

void assay_progress_clear(assay_progress *p) {
    if (!p->out || !p->visible) return;
    fprintf(p->out, "\r\033[K");
    fflush(p->out);
    p->visible = false;
}
