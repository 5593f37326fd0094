/* Building one changed source: see mutate_build.c for the overlay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_internal.h"
#include "text_file.h"

/* Appends " -IFOLDER/tree/REST" for every -IROOT/REST of the command, in its order; "/." at the end
 * is dropped, so that dependencies have the plain path. */
static void put_overlay_includes(FILE *out, const mutate_site *site, const char *command) {
    const size_t root = strlen(site->build->root);
    for (const char *at = strstr(command, "-I"); at; at = strstr(at + 2, "-I")) {
        if (at[-1] != ' ' || strncmp(at + 2, site->build->root, root) != 0) continue;
        const char *rest = at + 2 + root;
        size_t length = strcspn(rest, " ");
        if (length >= 2 && strncmp(rest + length - 2, "/.", 2) == 0) length -= 2;
        fprintf(out, " '-I%s/tree%.*s'", site->folder, (int)length, rest);
    }
}

/* Where the unit is compiled from: a copy in the overlay when it is the tree's. */
static assay_status unit_path(const mutate_site *site, const mutate_object *object, char *unit,
                              size_t size, char *beside, size_t beside_size) {
    const mutate_build *b = site->build;
    const size_t root = strlen(b->root), folder = strlen(b->folder);
    const bool generated = strncmp(object->source, b->folder, folder) == 0;
    snprintf(unit, size, "%s", object->source);
    snprintf(beside, beside_size, "%.*s", (int)(strrchr(unit, '/') - unit), unit);
    if (generated || strncmp(object->source, b->root, root) != 0) return ASSAY_OK;
    snprintf(unit, size, "%s/tree%s", site->folder, object->source + root);
    if (strcmp(object->source + root + 1, site->mutant->file) == 0) return ASSAY_OK;
    char *text;
    size_t length;
    assay_status status = assay_text_read(object->source, &text, &length);
    if (!status) status = assay_text_write(unit, text, length);
    free(text);
    return status;
}

/* The first line of a log that names an error, else the first line. */
static assay_status build_failed(const char *what, const char *log) {
    char *text;
    size_t size;
    if (assay_text_read(log, &text, &size)) return ASSAY_ERR_IO;
    const char *error = strstr(text, "error");
    const char *line = error ? error : text;
    assay_fail(ASSAY_ERR_FORMAT, "%s failed: %.*s", what, (int)strcspn(line, "\n"), line);
    free(text);
    return ASSAY_ERR_FORMAT;
}

static assay_status saw_mutant(const mutate_site *site, const char *dependencies) {
    char path[4096], *text;
    size_t size;
    assay_status status = assay_text_read(dependencies, &text, &size);
    if (status) return status;
    snprintf(path, sizeof path, "%s/tree/%s", site->folder, site->mutant->file);
    if (!strstr(text, path))
        status = assay_fail(ASSAY_ERR_FORMAT, "%s was not read when its object was compiled",
                            site->mutant->file);
    free(text);
    return status;
}

assay_status mutate_compile(mutate_site *site, const mutate_object *object) {
    char unit[4096], beside[4096], log[4096], *command = NULL;
    for (size_t i = 0; i < site->count; i++)
        if (site->replaced[i] == object) return ASSAY_OK;
    if (site->count == MUTATE_OBJECTS)
        return assay_fail(ASSAY_ERR_OVERFLOW, "more than %d objects depend on %s", MUTATE_OBJECTS,
                          site->mutant->file);
    assay_status status = unit_path(site, object, unit, sizeof unit, beside, sizeof beside);
    if (status) return status;
    char *made = site->made[site->count];
    snprintf(made, sizeof site->made[0], "%s/%zu.o", site->folder, site->count);
    snprintf(log, sizeof log, "%s/%zu.log", site->folder, site->count);

    /* COMPILER FLAGS... -o OBJECT -c SOURCE: the flags stay, warnings of the fault do not count. */
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (!out) return assay_fail(ASSAY_ERR_MEMORY, "no memory for a command");
    const char *old = object->command, *flags = strchr(old, ' '), *end = strstr(old, " -o ");
    fprintf(out, "%.*s", (int)(flags - old), old);
    put_overlay_includes(out, site, old);
    fprintf(out, "%.*s -w -g0 -iquote '%s' -MMD -MF '%s.d' -o '%s' -c '%s'", (int)(end - flags),
            flags, beside, made, made, unit);
    fclose(out);
    const int code = mutate_shell(site->build, command, log);
    free(command);
    if (code != 0) return build_failed("the compiler", log);
    char dependencies[4096];
    snprintf(dependencies, sizeof dependencies, "%s.d", made);
    status = saw_mutant(site, dependencies);
    if (!status) site->replaced[site->count++] = object;
    return status;
}

/* The kernel for the executor, plain or checked, or the op's launcher. */
static bool belongs_to_kernel(const mutate_object *object, const char *op) {
    char kernel[256], checked[256], launcher[256];
    snprintf(kernel, sizeof kernel, "/%s_simt.cpp.o", op);
    snprintf(checked, sizeof checked, "/%s_checked.cpp.o", op);
    snprintf(launcher, sizeof launcher, "/assay_kernels.dir/launch/%s.c.o", op);
    return strstr(object->object, kernel) || strstr(object->object, checked) ||
           strstr(object->object, launcher);
}

/* The linker driver with its flags: the program's link command up to the first object. */
static char *driver(const mutate_build *b) {
    const char *target = b->program;
    const size_t folder = strlen(b->folder);
    if (strncmp(target, b->folder, folder) == 0 && target[folder] == '/') target += folder + 1;
    char *text = mutate_link_command(b, target), *object = text ? strstr(text, ".o ") : NULL;
    while (object && object > text && *object != ' ') object--;
    if (object) *object = '\0';
    return text;
}

assay_status mutate_kernel_library(mutate_site *site, const char *op, char *library, size_t size) {
    const mutate_build *b = site->build;
    char log[4096], *command = NULL, *start = driver(b);
    size_t length, kept = 0;
    if (!start) return ASSAY_ERR_IO;
    assay_status status = ASSAY_OK;
    FILE *out = open_memstream(&command, &length);
    snprintf(library, size, "%s/kernels.so", site->folder);
    /* -Bsymbolic: the library's own calls must not end in the program's kernels. */
    fprintf(out, "%s -shared -Wl,-Bsymbolic -o '%s'", start, library);
    for (size_t i = 0; i < b->count && !status; i++) {
        const mutate_object *object = &b->objects[i];
        if (!belongs_to_kernel(object, op)) continue;
        if (mutate_depends(b, object, site->mutant->file)) {
            status = mutate_compile(site, object);
            fprintf(out, " '%s'", site->made[site->count ? site->count - 1 : 0]);
        } else {
            fprintf(out, " '%s'", object->object);
            kept++;
        }
    }
    fclose(out);
    if (!status && site->count == 0)
        status = assay_fail(ASSAY_ERR_FORMAT, "none of %zu objects of %s depends on %s", kept, op,
                            site->mutant->file);
    snprintf(log, sizeof log, "%s/link.log", site->folder);
    if (!status && mutate_shell(b, command, log) != 0) status = build_failed("the linker", log);
    free(command);
    free(start);
    return status;
}
