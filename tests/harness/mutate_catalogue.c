/* The catalogue: a folder of mutants. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "text_file.h"

static int is_mutant(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".mutant") == 0;
}

assay_status assay_catalogue_read(const char *folder, assay_catalogue *out) {
    struct dirent **names = NULL;
    *out = (assay_catalogue){.count = 0};
    const int n = scandir(folder, &names, is_mutant, alphasort);
    if (n < 0) return assay_fail(ASSAY_ERR_IO, "%s: %s", folder, strerror(errno));
    out->mutants = calloc((size_t)n + 1, sizeof *out->mutants);
    out->troubles = calloc((size_t)n + 1, sizeof *out->troubles);
    const bool memory = out->mutants && out->troubles;
    for (int i = 0; i < n; i++) {
        char *path = memory ? assay_text_format("%s/%s", folder, names[i]->d_name) : NULL;
        if (path) {
            if (assay_mutant_read(path, &out->mutants[out->count]))
                out->troubles[out->count] = strdup(assay_last_error());
            out->count++;
        }
        free(path);
        free(names[i]);
    }
    free(names);
    if (memory) return ASSAY_OK;
    assay_catalogue_free(out);
    return assay_fail(ASSAY_ERR_MEMORY, "no memory for %d mutants", n);
}

void assay_catalogue_free(assay_catalogue *c) {
    for (size_t i = 0; i < c->count; i++) {
        assay_mutant_free(&c->mutants[i]);
        free(c->troubles[i]);
    }
    free(c->mutants);
    free(c->troubles);
    *c = (assay_catalogue){.count = 0};
}
