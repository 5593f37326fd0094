/* What the statuses of mutants count as. */
#include <string.h>

#include "mutate.h"

const char *assay_mutant_status_name(assay_mutant_status status) {
    static const char *const names[ASSAY_MUTANT_STATUS_COUNT] = {"killed", "survived", "equivalent",
                                                                 "refused", "not_run"};
    return (unsigned)status < ASSAY_MUTANT_STATUS_COUNT ? names[status] : "?";
}

void assay_mutate_count(assay_mutate_totals *totals, const assay_mutant_row *row) {
    const assay_mutant_status s = row->status;
    totals->statuses[s]++;
    totals->applied +=
        s == ASSAY_MUTANT_KILLED || s == ASSAY_MUTANT_SURVIVED || s == ASSAY_MUTANT_NOT_RUN;
    totals->replay_only += s == ASSAY_MUTANT_SURVIVED && row->replay_only;
    totals->undeclared += s == ASSAY_MUTANT_EQUIVALENT && !row->declared;
}

int assay_mutate_exit_code(const assay_mutate_totals *totals) {
    int64_t rows = 0;
    for (int s = 0; s < ASSAY_MUTANT_STATUS_COUNT; s++) rows += totals->statuses[s];
    if (rows == 0) return 2;
    if (totals->statuses[ASSAY_MUTANT_REFUSED] || totals->statuses[ASSAY_MUTANT_NOT_RUN] ||
        totals->undeclared)
        return 3;
    return totals->statuses[ASSAY_MUTANT_KILLED] == totals->applied ? 0 : 1;
}

bool assay_mutant_matches(const assay_mutant *m, const char *const *words, size_t count) {
    const char *const texts[] = {m->id, m->class, m->file, m->source, m->title};
    for (size_t w = 0; w < count; w++) {
        bool found = false;
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
            found |= texts[t] && strstr(texts[t], words[w]);
        if (!found) return false;
    }
    return true;
}
