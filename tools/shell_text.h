/* Command lines as text that a shell reads back the same. */
#ifndef ASSAY_TOOLS_SHELL_TEXT_H
#define ASSAY_TOOLS_SHELL_TEXT_H

#include <stddef.h>

/* Adds a blank and the argument to `text`, quoted where a shell would read it otherwise. */
void shell_text_add(char *text, size_t size, const char *argument);

#endif
