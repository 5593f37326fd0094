#include "case_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launcher.h"
#include "shell_text.h"
#include "target.h"

bool case_command_take(case_command *k, int id, const char *value) {
    const size_t used = strlen(k->words);
    switch (id) {
    case CASE_BACKEND: k->backend = value; break;
    case CASE_CHIP: k->chip = value; break;
    case CASE_SEED: k->seed = value; break;
    case CASE_CONTRACT: k->run.contract = value; break;
    case CASE_KERNELS: k->kernels = value; break;
    case CASE_CHECKED: k->run.checked = true; break;
    case OPTION_ARGUMENT:
        if (used + strlen(value) + 2 > sizeof k->words) {
            fprintf(stderr, "%s: the case is too long\n", k->command);
            return false;
        }
        snprintf(k->words + used, sizeof k->words - used, "%s%s", used ? " " : "", value);
        break;
    default: return false;
    }
    return true;
}

/* The variables that stand for flags in assay check do so here. */
static const char *or_variable(const char *value, const char *name) {
    const char *variable = getenv(name);
    return value || !variable || !*variable ? value : variable;
}

static void settle_flags(case_command *k) {
    const char *const flags[][2] = {{"--backend", assay_backend_name(k->run.backend)},
                                    {"--chip", k->chip},
                                    {"--seed", k->run.seed ? k->seed : NULL},
                                    {"--contract", k->run.contract},
                                    {"--kernels", k->kernels}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!flags[i][1]) continue;
        shell_text_add(k->flags, sizeof k->flags, flags[i][0]);
        shell_text_add(k->flags, sizeof k->flags, flags[i][1]);
    }
    if (k->run.checked) shell_text_add(k->flags, sizeof k->flags, "--checked");
}

bool case_command_settle(case_command *k) {
    k->run.jobs = 1;
    if (!k->words[0]) {
        fprintf(stderr, "%s: which case? usage: %s 'OP key=value ...'\n", k->command, k->command);
        return false;
    }
    if (assay_case_parse(k->words, &k->c)) {
        fprintf(stderr, "%s: %s\n", k->command, assay_last_error());
        return false;
    }
    k->backend = or_variable(k->backend, "ASSAY_BACKEND");
    k->seed = or_variable(k->seed, "ASSAY_SEED");
    if (!target_settle(k->command, k->backend, k->chip, &k->run)) return false;
    if (k->seed && !options_number(k->command, "--seed", k->seed, UINT64_MAX, &k->run.seed))
        return false;
    if (k->kernels && assay_kernels_open(k->kernels, &k->run.kernels)) {
        fprintf(stderr, "%s: %s\n", k->command, assay_last_error());
        return false;
    }
    settle_flags(k);
    return true;
}
