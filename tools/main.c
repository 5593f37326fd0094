/* assay: tells whether a GPU kernel is right, how right, and why not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "version.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"check", cmd_check, "run cases and judge every output element"},
    {"list", cmd_list, "show what there is: ops, cases, kernels, data"},
    {"repro", cmd_repro, "run exactly one case again and tell everything about it"},
    {"shrink", cmd_shrink, "find the smallest case and the fewest values that still fail"},
    {"explain", cmd_explain, "derive the bound of one output element, with the numbers"},
    {"judge", cmd_judge, "judge tensors that were computed elsewhere"},
    {"bench", cmd_bench, "time kernels on a device against a copy of the same bytes"},
    {"replay", cmd_replay, "hold the executor against digests recorded on a chip"},
    {"doctor", cmd_doctor, "what this machine can verify, and what it cannot"},
    {"mutate", cmd_mutate, "plant faults and see which the unit lane finds"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const char *command_name_at(const void *table, size_t index) {
    (void)table;
    return index < COMMANDS ? commands[index].name : NULL;
}

static void help(FILE *out) {
    fprintf(out, "usage: assay COMMAND [ARGUMENT...]\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-20s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\n"
                 "  assay COMMAND --help shows a command's options; assay --version the version.\n"
                 "\n"
                 "exit codes: 0 pass, 1 a failure, 2 usage (an empty selection is one),\n"
                 "            3 harness error or incomplete, 77 everything skipped\n");
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        help(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    options_unknown("assay", word[0] == '-' ? "flag" : "command", word, command_name_at, NULL);
    return 2;
}

/* Output that was lost (a full disk) must not look like an answer. */
int main(int argc, char **argv) {
    int code = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "assay: cannot write to standard output: %s\n",
                errno ? strerror(errno) : "an earlier write failed");
        return 3;
    }
    return code;
}
