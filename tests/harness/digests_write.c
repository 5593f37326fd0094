#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "digests.h"

struct assay_digest_writer {
    FILE *f;
    char path[512], temporary[520];
    size_t rows;
};

assay_status assay_digests_start(const char *path, const char *op, const char *chip,
                                 assay_backend backend, assay_digest_writer **out) {
    assay_digest_writer *w = calloc(1, sizeof *w);
    if (!w) return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory for a writer", path);
    if (snprintf(w->path, sizeof w->path, "%s", path) >= (int)sizeof w->path) {
        free(w);
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: path too long", path);
    }
    snprintf(w->temporary, sizeof w->temporary, "%s.part", path);
    w->f = fopen(w->temporary, "wb");
    if (!w->f) {
        free(w);
        return assay_fail(ASSAY_ERR_IO, "%s: cannot be written", path);
    }
    assay_provenance from;
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    assay_backend_provenance(backend, &from);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    fprintf(w->f,
            "{\"schema\":\"assay.digests/1\",\"op\":\"%s\",\"chip\":\"%s\",\"device\":\"%s\","
            "\"driver\":\"%s\",\"toolkit\":\"%s\",\"date\":\"%s\",\"source\":\"%s\",\n\"rows\":[",
            op, chip, from.device, from.driver, from.toolkit, date, assay_kernel_source_hash());
    *out = w;
    return ASSAY_OK;
}

void assay_digests_row(assay_digest_writer *w, const assay_result *r) {
    char line[ASSAY_CASE_LINE];
    if (r->word != ASSAY_PASSED || !r->output_hash[0]) return;
    assay_case_format(&r->c, line); /* plain ASCII without quotes or backslashes */
    fprintf(w->f, "%s\n{\"case\":\"%s\",\"inputs\":\"%s\",\"outputs\":\"%s\"}", w->rows ? "," : "",
            line, r->input_hash, r->output_hash);
    w->rows++;
}

assay_status assay_digests_finish(assay_digest_writer *w) {
    fprintf(w->f, "\n]}\n");
    const bool wrong = ferror(w->f) != 0;
    const bool bad = fclose(w->f) != 0 || wrong || w->rows == 0;
    assay_status status = ASSAY_OK;
    if (bad || rename(w->temporary, w->path) != 0) {
        remove(w->temporary);
        status = assay_fail(ASSAY_ERR_IO, "%s: %s", w->path,
                            w->rows ? "cannot be written" : "there is nothing to record");
    }
    free(w);
    return status;
}

void assay_digests_discard(assay_digest_writer *w) {
    if (!w) return;
    fclose(w->f);
    remove(w->temporary);
    free(w);
}
