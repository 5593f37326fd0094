/* Unit suites with a mutant in them: the suite's own objects, libraries and CTest command, with the
 * changed objects put in the place of theirs, or before the libraries that hold the originals. A
 * suite is any test of the unit lane: most run a program of their own, unit.kernels runs assay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The CMake target of an object: "tests/unit/CMakeFiles/unit_x.dir/..." -> "unit_x". */
static void target_of(const char *object, char *target, size_t size) {
    static const char mark[] = "CMakeFiles/";
    const char *at = strstr(object, mark), *end = at ? strstr(at, ".dir/") : NULL;
    target[0] = '\0';
    if (end)
        snprintf(target, size, "%.*s", (int)(end - at - (int)sizeof mark + 1),
                 at + sizeof mark - 1);
}

/* Objects of the program or of the libraries that it links. */
static bool linked(const char *link, const char *program, const char *object) {
    char target[256], library[300];
    const char *slash = strrchr(program, '/');
    target_of(object, target, sizeof target);
    snprintf(library, sizeof library, "/lib%s.a", target);
    return strcmp(target, slash ? slash + 1 : program) == 0 || strstr(link, library);
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

/* Links the build's `program`, with the mutant in it, as `output`. */
static assay_status relink(mutate_site *site, const char *program, const char *output) {
    const mutate_build *b = site->build;
    char log[4096];
    char *link = mutate_link_command(b, program);
    if (!link) return ASSAY_ERR_IO;
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < b->count && !status; i++)
        if (linked(link, program, b->objects[i].object) &&
            mutate_depends(b, &b->objects[i], site->mutant->file))
            status = mutate_compile(site, &b->objects[i]);
    if (!status && site->count == 0)
        status = assay_fail(ASSAY_ERR_FORMAT, "no object of %s depends on %s", program,
                            site->mutant->file);
    char *command = status ? NULL : changed_link(site, link, output);
    snprintf(log, sizeof log, "%s/link.log", site->folder);
    if (!status && (!command || mutate_shell(b, command, log) != 0))
        status =
            assay_fail(ASSAY_ERR_FORMAT, "%s does not link with the mutant: see %s", program, log);
    free(command);
    free(link);
    return status;
}

/* Copies a line, without the runner's colours. */
static void plain_line(const char *line, char *text, size_t size) {
    size_t used = 0;
    for (; *line && *line != '\n' && used + 1 < size; line++) {
        if (*line == '\x1b')
            while (*line && *line != 'm' && *line != '\n') line++;
        else
            text[used++] = *line;
        if (!*line || *line == '\n') break;
    }
    text[used] = '\0';
}

/* The first line that names a failure, and the first test that failed, as Criterion marks it. */
static void first_failure(const char *log, suite_failure *failure) {
    static const char *const marks[] = {"Assertion", "FAIL",      "not ok",
                                        "CRASH",     "expected ", "failed"};
    char *text;
    size_t length;
    if (assay_text_read(log, &text, &length)) return;
    const char *at = NULL, *test = strstr(text, "[FAIL] ");
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !at; i++) at = strstr(text, marks[i]);
    if (!at) at = text;
    while (at > text && at[-1] != '\n') at--;
    plain_line(at, failure->message, sizeof failure->message);
    if (test) {
        plain_line(test + 7, failure->test, sizeof failure->test);
        char *end = strstr(failure->test, ": (");
        if (end) *end = '\0';
    }
    free(text);
}

/* Exit status of the suite's command, in the environment that CTest gives it. */
static int run(const mutate_build *b, const char *command, const char *log) {
    char *line = assay_text_format("OPENBLAS_NUM_THREADS=1 %s", command);
    const int code = line ? mutate_shell(b, line, log) : -1;
    free(line);
    return code;
}

/* What stands for one word of the command: the changed script, the program linked anew, a file of
 * the site's own for one that the test writes, or the word itself. */
static assay_status stand_in(mutate_site *site, const char *word, bool script, char *put,
                             size_t size) {
    const mutate_build *b = site->build;
    const size_t folder = strlen(b->folder), root = strlen(b->root);
    snprintf(put, size, "%s", word);
    if (strncmp(word, b->folder, folder) == 0 && word[folder] == '/') {
        const bool program = access(word, X_OK) == 0;
        if (program && script) return ASSAY_OK;
        snprintf(put, size, "%s%s", site->folder, strrchr(word, '/'));
        return program ? relink(site, word + folder + 1, put) : ASSAY_OK;
    }
    if (strncmp(word, b->root, root) == 0 && strcmp(word + root + 1, site->mutant->file) == 0) {
        snprintf(put, size, "%s/tree/%s", site->folder, site->mutant->file);
        chmod(put, 0755);
    }
    return ASSAY_OK;
}

/* The test's command with the mutant in it; *command is the caller's to free. */
static assay_status changed_command(mutate_site *site, const char *words, char **command) {
    char script[4096], word[4096], put[4096];
    size_t size;
    snprintf(script, sizeof script, "\"%s/%s\"", site->build->root, site->mutant->file);
    const bool is_script = strstr(words, script) != NULL;
    FILE *out = open_memstream(command, &size);
    if (!out) return assay_fail(ASSAY_ERR_MEMORY, "no memory for a command");
    assay_status status = ASSAY_OK;
    for (const char *at = strchr(words, '"'); at && !status;) {
        const size_t length = strcspn(at + 1, "\"");
        snprintf(word, sizeof word, "%.*s", (int)length, at + 1);
        status = stand_in(site, word, is_script, put, sizeof put);
        fprintf(out, "\"%s\" ", put);
        at = at[1 + length] ? strchr(at + length + 2, '"') : NULL;
    }
    fclose(out);
    return status;
}

/* A test that failed. The wrappers exit with 3 when not as many tests or cases ran as should. */
static bool is_red(int code, const char *log) {
    char *text;
    size_t size;
    if (code != 3) return code == 1;
    if (assay_text_read(log, &text, &size)) return false;
    const bool lost = strstr(text, "\nexpected ") || strncmp(text, "expected ", 9) == 0;
    free(text);
    return lost;
}

assay_status mutate_suite(mutate_site *site, const char *suite, bool *killed,
                          suite_failure *failure) {
    char log[4096], *command = NULL;
    *killed = false;
    *failure = (suite_failure){.test = ""};
    char *words = test_command(site->build, suite);
    if (!words) return assay_fail(ASSAY_ERR_FORMAT, "the build has no test unit.%s", suite);
    snprintf(log, sizeof log, "%s/unit_%s.log", site->folder, suite);
    const assay_status status = changed_command(site, words, &command);
    const int code = status ? -1 : run(site->build, command, log);
    free(words);
    free(command);
    if (status) return status;
    *killed = is_red(code, log);
    if (code != 0) first_failure(log, failure);
    if (code == 0 || *killed) return ASSAY_OK;
    return assay_fail(ASSAY_ERR_INTERNAL, "unit.%s exits with %d, which is no verdict: %s", suite,
                      code, failure->message);
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
