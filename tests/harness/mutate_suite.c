/* Unit suites with a mutant in them: the suite's own objects, libraries and CTest command, with the
 * changed objects put in the place of theirs, or before the libraries that hold the originals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mutate_internal.h"
#include "text_file.h"

/* The command of test unit.SUITE as CTest has it, up to the closing bracket: quoted words. */
static char *test_command(const mutate_build *b, const char *suite) {
    char head[256];
    snprintf(head, sizeof head, "add_test([=[unit.%s]=] ", suite);
    const char *at = strstr(b->tests, head);
    if (!at) return NULL;
    at += strlen(head);
    return strndup(at, strcspn(at, "\n)"));
}

bool mutate_suite_exists(const mutate_build *build, const char *suite) {
    char *command = test_command(build, suite);
    free(command);
    return command != NULL;
}

/* Exchanges the one quoted word `from` of a command. */
static char *exchange(char *command, const char *from, const char *to) {
    char word[4096];
    snprintf(word, sizeof word, "\"%s\"", from);
    const char *at = command ? strstr(command, word) : NULL;
    if (!at) return command;
    char *changed =
        assay_text_format("%.*s\"%s\"%s", (int)(at - command), command, to, at + strlen(word));
    free(command);
    return changed;
}

/* The CMake target of an object: "tests/unit/CMakeFiles/unit_x.dir/..." -> "unit_x". */
static void target_of(const char *object, char *target, size_t size) {
    static const char mark[] = "CMakeFiles/";
    const char *at = strstr(object, mark), *end = at ? strstr(at, ".dir/") : NULL;
    target[0] = '\0';
    if (end)
        snprintf(target, size, "%.*s", (int)(end - at - (int)sizeof mark + 1),
                 at + sizeof mark - 1);
}

/* Objects of the suite or of the libraries that it links. */
static bool linked(const char *link, const char *suite, const char *object) {
    char target[256], own[256], library[300];
    target_of(object, target, sizeof target);
    snprintf(own, sizeof own, "unit_%s", suite);
    snprintf(library, sizeof library, "/lib%s.a", target);
    return strcmp(target, own) == 0 || strstr(link, library);
}

/* The link command with the site's objects in it. Words are parted by single blanks. */
static char *changed_link(const mutate_site *site, char *link, const char *output) {
    char *text = NULL, *rest = NULL;
    bool used[MUTATE_OBJECTS] = {false}, is_output = false;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (char *word = strtok_r(link, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *put = is_output ? output : word;
        for (size_t i = 0; i < site->count; i++) {
            if (strcmp(site->replaced[i]->object, word) != 0) continue;
            put = site->made[i];
            used[i] = true;
        }
        fprintf(out, "%s ", put);
        if (is_output) /* the libraries follow: these come before them, so theirs are not taken */
            for (size_t i = 0; i < site->count; i++)
                if (!used[i]) fprintf(out, "%s ", site->made[i]);
        is_output = strcmp(word, "-o") == 0;
    }
    fclose(out);
    return text;
}

static assay_status relink(mutate_site *site, const char *suite, const char *output) {
    const mutate_build *b = site->build;
    char target[256], log[4096];
    snprintf(target, sizeof target, "unit/unit_%s", suite);
    char *link = mutate_link_command(b, target);
    if (!link) return ASSAY_ERR_IO;
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < b->count && !status; i++)
        if (linked(link, suite, b->objects[i].object) &&
            mutate_depends(b, &b->objects[i], site->mutant->file))
            status = mutate_compile(site, &b->objects[i]);
    if (!status && site->count == 0)
        status = assay_fail(ASSAY_ERR_FORMAT, "no object of unit.%s depends on %s", suite,
                            site->mutant->file);
    char *command = status ? NULL : changed_link(site, link, output);
    snprintf(log, sizeof log, "%s/unit_%s.link", site->folder, suite);
    if (!status && (!command || mutate_shell(b, command, log) != 0))
        status = assay_fail(ASSAY_ERR_FORMAT, "unit.%s does not link with the mutant: see %s",
                            suite, log);
    free(command);
    free(link);
    return status;
}

/* The first line that names a failure, without the runner's colours and marks. */
static void first_failure(const char *log, char *message, size_t size) {
    char *text;
    size_t length;
    message[0] = '\0';
    if (assay_text_read(log, &text, &length)) return;
    static const char *const marks[] = {"Assertion", "FAIL", "not ok", "CRASH", "failed"};
    const char *at = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !at; i++) at = strstr(text, marks[i]);
    if (!at) at = text;
    while (at > text && at[-1] != '\n') at--;
    const size_t line = strcspn(at, "\n");
    size_t used = 0;
    for (size_t i = 0; i < line && used + 1 < size; i++) {
        if (at[i] == '\x1b') {
            while (i < line && at[i] != 'm') i++;
            continue;
        }
        message[used++] = at[i];
    }
    message[used] = '\0';
    free(text);
}

/* Exit status of the suite's command, in the environment that CTest gives it. */
static int run(const mutate_build *b, const char *command, const char *log) {
    char *line = assay_text_format("OPENBLAS_NUM_THREADS=1 %s", command);
    const int code = line ? mutate_shell(b, line, log) : -1;
    free(line);
    return code;
}

assay_status mutate_suite(mutate_site *site, const char *suite, bool *killed, char *message,
                          size_t size) {
    const mutate_build *b = site->build;
    char built[4096], output[4096], log[4096], from[4096], to[4096];
    *killed = false;
    message[0] = '\0';
    char *command = test_command(b, suite);
    if (!command) return assay_fail(ASSAY_ERR_FORMAT, "the build has no test unit.%s", suite);
    snprintf(built, sizeof built, "%s/unit/unit_%s", b->folder, suite);
    snprintf(output, sizeof output, "%s/unit_%s", site->folder, suite);
    snprintf(log, sizeof log, "%s/unit_%s.log", site->folder, suite);
    snprintf(from, sizeof from, "%s/%s", b->root, site->mutant->file);
    snprintf(to, sizeof to, "%s/tree/%s", site->folder, site->mutant->file);

    /* A script that is a part of the command stands for itself; everything else is linked in. */
    assay_status status = ASSAY_OK;
    if (strstr(command, from)) {
        chmod(to, 0755);
        command = exchange(command, from, to);
    } else {
        status = relink(site, suite, output);
        command = exchange(command, built, output);
    }
    const int code = status || !command ? -1 : run(b, command, log);
    free(command);
    if (status) return status;
    if (code != 0) first_failure(log, message, size);
    if (code != 0 && code != 1)
        return assay_fail(ASSAY_ERR_INTERNAL, "unit.%s exits with %d, not with 0 or 1: %s", suite,
                          code, message);
    *killed = code == 1;
    return ASSAY_OK;
}

assay_status mutate_suite_baseline(const mutate_build *build, const char *suite) {
    char log[4096];
    char *command = test_command(build, suite);
    if (!command) return assay_fail(ASSAY_ERR_FORMAT, "the build has no test unit.%s", suite);
    snprintf(log, sizeof log, "%s/mutants/unit_%s.log", build->folder, suite);
    assay_status status = assay_text_write(log, "", 0);
    const int code = status ? -1 : run(build, command, log);
    free(command);
    if (status || code == 0) return status;
    return assay_fail(ASSAY_ERR_INTERNAL,
                      "unit.%s fails before any mutant is planted (exit %d, see %s)", suite, code,
                      log);
}
