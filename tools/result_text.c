#include "result_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_word(FILE *out, assay_word word) {
    const char *no_color = getenv("NO_COLOR");
    const bool color = isatty(fileno(out)) && !(no_color && *no_color);
    const char *on = word == ASSAY_PASSED ? "\033[1;32m" : "\033[1;31m";
    fprintf(out, "%s%s%s", color ? on : "", assay_word_name(word), color ? "\033[0m" : "");
}

static void print_message(FILE *out, const char *message) {
    while (*message) {
        const size_t length = strcspn(message, "\n");
        fprintf(out, "  %.*s\n", (int)length, message);
        message += length + (message[length] == '\n');
    }
}

void result_text_print(FILE *out, const assay_result *r) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(&r->c, line);
    print_word(out, r->word);
    fprintf(out, " %s\n", line);
    if (r->check && r->check[0]) fprintf(out, "  check: %s\n", r->check);
    if (r->kernel[0]) fprintf(out, "  kernel: %s\n", r->kernel);
    print_message(out, r->message);
    fprintf(out, "  compared: %" PRId64 " outputs, %" PRId64 " out of bounds; %" PRId64 " launches",
            r->outputs, r->tally.failed, r->launches);
    if (r->slack_known) fprintf(out, "; max slack %.3g", r->tally.max_slack);
    fprintf(out, "; %.2f s\n", r->seconds);
    if (r->input_hash[0])
        fprintf(out, "  inputs: %s\n  outputs: %s\n", r->input_hash, r->output_hash);
}
