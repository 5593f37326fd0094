#include "filter.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n"

const char *const filter_levels[] = {"smoke", "ci", "nightly", NULL};

static bool add(filter *f, const char *command, const char *key, const char *word, size_t length) {
    size_t room = sizeof f->text - f->used, need = strlen(key) + length + 1;
    if (f->count == FILTER_WORDS || need > room) {
        fprintf(stderr, "%s: the filter has more than %d words or %d characters\n", command,
                FILTER_WORDS, FILTER_TEXT);
        return false;
    }
    snprintf(f->text + f->used, room, "%s%.*s", key, (int)length, word);
    f->words[f->count++] = f->text + f->used;
    f->used += need;
    return true;
}

bool filter_add(filter *f, const char *command, const char *argument) {
    for (;;) {
        argument += strspn(argument, BLANKS);
        size_t length = strcspn(argument, BLANKS);
        if (length == 0) return true;
        if (!add(f, command, "", argument, length)) return false;
        argument += length;
    }
}

bool filter_add_key(filter *f, const char *command, const char *key, const char *value) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s=", key);
    return add(f, command, prefix, value, strlen(value));
}
