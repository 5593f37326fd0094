/* How a finding of checked mode is worded:
 *
 *   rms_norm<bf16,bf16,scalar>: block (3,0,0) lane thread (17,0,0) [warp 0 lane 17]: read of 2
 * bytes at rms_norm.cu:38: 0 bytes past the end of "x" (2002 bytes)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#include "check.h"

/* The place in the table of a PC, or the free one where it goes. */
static simt_known_site *slot(simt_check *check, const void *pc) {
    size_t i = (size_t)(simt_order_mix((uintptr_t)pc) % SIMT_SITES);
    while (check->site[i].pc != NULL && check->site[i].pc != pc) i = (i + 1) % SIMT_SITES;
    return &check->site[i];
}

/* Notes where a call of the device layer stands; beyond the table's size the line is lost. */
void simt_check_know(simt_check *check, const void *pc, const char *operation, const char *file,
                     int line) {
    if (check->arena_size == 0) return; /* outside a launch */
    simt_known_site *s = slot(check, pc);
    if (s->pc == pc || check->sites >= SIMT_SITES / 2) return;
    *s = (simt_known_site){pc, {operation, file, line}};
    check->sites++;
}

/* The operation is NULL where a plain access stands; false: no line is known. */
static bool find(const simt_check *check, const void *pc, assay_simt_site *site) {
    simt_check *tables = (simt_check *)(uintptr_t)check;
    const simt_known_site *s = slot(tables, pc);
    if (s->pc == pc) {
        *site = s->site;
        return true;
    }
    /* The address returned to lies behind the call, and may belong to the next line. */
    const simt_known_line *line = simt_line_find(tables, (const char *)pc - 1);
    if (line != NULL) *site = (assay_simt_site){NULL, line->file, line->line};
    return line != NULL;
}

/* "module+0x1234", for want of a line. */
static void name_pc(const void *pc, char *text, size_t size) {
    Dl_info info;
    if (dladdr(pc, &info) != 0 && info.dli_fname != NULL)
        snprintf(text, size, "%s+0x%zx", simt_basename(info.dli_fname),
                 (size_t)((const char *)pc - (const char *)info.dli_fbase));
    else
        snprintf(text, size, "%p", pc);
}

/* " (dev_load_chunk at row_sum.h:31)", " (row_sum.h:31)" */
void simt_check_where(const simt_check *check, const void *pc, char *text, size_t size) {
    assay_simt_site site;
    char place[100];
    if (!find(check, pc, &site)) {
        name_pc(pc, place, sizeof place);
        snprintf(text, size, " (%s)", place);
        return;
    }
    snprintf(text, size, " (%s%s%s:%d)", site.operation != NULL ? site.operation : "",
             site.operation != NULL ? " at " : "", simt_basename(site.file), site.line);
}

const char *simt_access_verb(simt_access kind) {
    static const char *const verbs[] = {[SIMT_READ] = "read",
                                        [SIMT_WRITE] = "write",
                                        [SIMT_ATOMIC_READ] = "atomic read",
                                        [SIMT_ATOMIC_WRITE] = "atomic write",
                                        [SIMT_ATOMIC_UPDATE] = "atomic update"};
    return verbs[kind];
}

void simt_check_fail(const simt_check *check, const void *pc, size_t bytes, simt_access kind,
                     const char *format, ...) {
    assay_simt_site site;
    char place[100], what[60], text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(what, sizeof what, "%s of %zu bytes", simt_access_verb(kind), bytes);
    if (!find(check, pc, &site)) {
        name_pc(pc, place, sizeof place);
        simt_fail(simt_self(), NULL, "%s at %s: %s", what, place, text);
    }
    if (site.operation == NULL) {
        site.operation = what;
        simt_fail(simt_self(), &site, "%s", text);
    }
    simt_fail(simt_self(), &site, "%s: %s", what, text);
}

void simt_check_misaligned(const simt_check *check, uintptr_t address, size_t bytes,
                           simt_access kind, const void *pc) {
    char text[200];
    simt_name_address(check, address, text, sizeof text);
    simt_check_fail(check, pc, bytes, kind, "misaligned by %zu bytes: %s", address % bytes, text);
}
