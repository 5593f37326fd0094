#include "shell_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shell_text_add(char *text, size_t size, const char *argument) {
    size_t used = strlen(text);
    bool plain = *argument && !argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz"
                                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                         "0123456789_-+=./,:@%")];
    if (used + 1 >= size) return;
    if (plain) {
        snprintf(text + used, size - used, " %s", argument);
        return;
    }
    snprintf(text + used, size - used, " '");
    for (const char *p = argument; *p; p++) {
        used = strlen(text);
        snprintf(text + used, size - used, *p == '\'' ? "'\\''" : "%c", *p);
    }
    used = strlen(text);
    snprintf(text + used, size - used, "'");
}
