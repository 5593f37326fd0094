/* What mutation testing takes from a build directory, and how it builds one changed source.
 *
 * The changed file lies in an overlay, a folder with the tree's own layout. The translation unit is
 * compiled by the build's command with the overlay's folders before the tree's own on the include
 * path; a unit of the tree is copied into the overlay, too, because a quoted include looks beside
 * the including file first. The compiler's dependency output then proves that the changed file was
 * read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "mutate_internal.h"
#include "text_file.h"

int mutate_shell(const mutate_build *build, const char *command, const char *log) {
    char *line =
        assay_text_format("cd '%s' && { %s\n} </dev/null >'%s' 2>&1", build->folder, command, log);
    if (!line) return -1;
    const int status = system(line);
    free(line);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char *mutate_output(const char *folder, const char *command) {
    char *line = assay_text_format("cd '%s' && %s", folder, command), *text = NULL;
    size_t size = 0;
    if (!line) return NULL;
    FILE *pipe = popen(line, "r"), *memory = open_memstream(&text, &size);
    free(line);
    char buffer[65536];
    for (size_t n; pipe && memory && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        fwrite(buffer, 1, n, memory);
    if (memory) fclose(memory);
    if (!pipe || pclose(pipe) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *mutate_link_command(const mutate_build *build, const char *target) {
    char command[1024];
    snprintf(command, sizeof command, "ninja -t commands '%s' 2>/dev/null | tail -n 1", target);
    char *text = mutate_output(build->folder, command);
    char *end = text ? strchr(text, '\n') : NULL;
    if (!end || !strstr(text, ".o ")) {
        free(text);
        assay_fail(ASSAY_ERR_IO, "%s: Ninja knows no link command of %s", build->folder, target);
        return NULL;
    }
    *end = '\0';
    if (strncmp(text, ": && ", 5) == 0) memmove(text, text + 5, strlen(text + 5) + 1);
    char *tail = strstr(text, " && :");
    if (tail) *tail = '\0';
    return text;
}

assay_status assay_mutate_root(const char *build, char **root) {
    static const char key[] = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    char path[4096], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/CMakeCache.txt", build);
    assay_status status = assay_text_read(path, &text, &size);
    if (status) return status;
    const char *at = strstr(text, key);
    *root = at ? strndup(at + sizeof key - 1, strcspn(at + sizeof key - 1, "\n")) : NULL;
    free(text);
    return *root ? ASSAY_OK : assay_fail(ASSAY_ERR_FORMAT, "%s: names no source tree", path);
}

/* The word after " -o " in a compile command. */
static char *object_of(const char *command) {
    const char *at = strstr(command, " -o ");
    return at ? strndup(at + 4, strcspn(at + 4, " ")) : NULL;
}

static assay_status read_commands(mutate_build *b) {
    char path[4096], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/compile_commands.json", b->folder);
    assay_status status = assay_text_read(path, &text, &size);
    if (status) return status;
    cJSON *root = cJSON_Parse(text);
    free(text);
    const int entries = cJSON_GetArraySize(root);
    b->objects = calloc((size_t)entries + 1, sizeof *b->objects);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, root) {
        const char *source = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "file"));
        const char *command = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "command"));
        mutate_object o = {.object = command ? object_of(command) : NULL};
        if (!b->objects || !source || !o.object) continue;
        o.source = strdup(source);
        o.command = strdup(command);
        b->objects[b->count++] = o;
    }
    cJSON_Delete(root);
    return b->count ? ASSAY_OK : assay_fail(ASSAY_ERR_FORMAT, "%s: holds no compile command", path);
}

assay_status mutate_build_open(const char *folder, const char *program, mutate_build *out) {
    char path[4096];
    size_t size;
    *out = (mutate_build){.folder = realpath(folder, NULL), .program = realpath(program, NULL)};
    if (!out->folder || !out->program)
        return assay_fail(ASSAY_ERR_IO, "%s: %s", out->folder ? program : folder, strerror(errno));
    assay_status status = assay_mutate_root(out->folder, &out->root);
    if (!status) status = read_commands(out);
    snprintf(path, sizeof path, "%s/tests/unit/CTestTestfile.cmake", out->folder);
    if (!status) status = assay_text_read(path, &out->tests, &size);
    if (!status) out->dependencies = mutate_output(out->folder, "ninja -t deps 2>/dev/null");
    if (!status && !out->dependencies)
        status = assay_fail(ASSAY_ERR_IO, "%s: no build directory of Ninja's", folder);
    if (status) mutate_build_close(out);
    return status;
}

void mutate_build_close(mutate_build *b) {
    for (size_t i = 0; i < b->count; i++) {
        free(b->objects[i].object);
        free(b->objects[i].source);
        free(b->objects[i].command);
    }
    free(b->objects);
    free(b->folder);
    free(b->root);
    free(b->program);
    free(b->dependencies);
    free(b->tests);
    *b = (mutate_build){.count = 0};
}

bool mutate_depends(const mutate_build *build, const mutate_object *object, const char *file) {
    char head[2048], line[4096];
    snprintf(head, sizeof head, "%s: #deps", object->object);
    const char *at = strstr(build->dependencies, head);
    while (at && at != build->dependencies && at[-1] != '\n') at = strstr(at + 1, head);
    if (!at) return false;
    snprintf(line, sizeof line, "\n    %s/%s\n", build->root, file);
    const char *end = strstr(at, "\n\n"), *found = strstr(at, line);
    return found && (!end || found < end);
}
