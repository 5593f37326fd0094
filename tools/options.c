#include "options.h"

#include <inttypes.h>
#include <string.h>

options options_start(const char *command, const option_spec *specs, int argc, char **argv) {
    return (options){.command = command, .specs = specs, .argc = argc, .argv = argv, .next = 1};
}

static const char *spec_name_at(const void *table, size_t index) {
    const option_spec *specs = table;
    return specs[index].id ? specs[index].name : NULL;
}

void options_unknown(const char *command, const char *kind, const char *word, assay_name_at *at,
                     const void *table) {
    char help[1024];
    assay_name_help(word, at, table, help, sizeof help);
    fprintf(stderr, "%s: unknown %s '%s'; %s\n", command, kind, word, help);
}

static int option(options *o, const char *word, const char **value) {
    size_t length = strcspn(word, "=");
    for (const option_spec *s = o->specs; s->id; s++) {
        if (strlen(s->name) != length || strncmp(s->name, word, length) != 0) continue;
        bool attached = word[length] == '=';
        if (!s->value && attached) {
            fprintf(stderr, "%s: %s takes no value\n", o->command, s->name);
            return OPTION_WRONG;
        }
        if (s->value && !attached && o->next >= o->argc) {
            fprintf(stderr, "%s: %s needs a value: %s\n", o->command, s->name, s->value);
            return OPTION_WRONG;
        }
        if (s->value) *value = attached ? word + length + 1 : o->argv[o->next++];
        return s->id;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), word);
    options_unknown(o->command, "flag", name, spec_name_at, o->specs);
    return OPTION_WRONG;
}

int options_next(options *o, const char **value) {
    if (o->next >= o->argc) return OPTION_END;
    const char *word = o->argv[o->next++];
    if (!o->only_arguments && strcmp(word, "--") == 0) {
        o->only_arguments = true;
        return options_next(o, value);
    }
    if (!o->only_arguments && word[0] == '-' && word[1]) return option(o, word, value);
    *value = word;
    return OPTION_ARGUMENT;
}

void options_help(FILE *out, const option_spec *specs) {
    for (; specs->id; specs++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", specs->name, specs->value ? specs->value : "");
        fprintf(out, "  %-20s %s\n", left, specs->help);
    }
}

bool options_number(const char *command, const char *what, const char *text, uint64_t max,
                    uint64_t *number) {
    uint64_t n = 0;
    bool right = *text != '\0';
    for (const char *p = text; *p && right; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        right = *p >= '0' && *p <= '9' && !__builtin_mul_overflow(n, 10, &n) &&
                !__builtin_add_overflow(n, digit, &n);
    }
    if (!right || n > max) {
        fprintf(stderr, "%s: %s: expected a decimal number 0..%" PRIu64 ", found '%s'\n", command,
                what, max, text);
        return false;
    }
    *number = n;
    return true;
}

int options_choice(const char *command, const char *kind, const char *word,
                   const char *const *names) {
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0) return i;
    options_unknown(command, kind, word, assay_name_in_array, names);
    return -1;
}
