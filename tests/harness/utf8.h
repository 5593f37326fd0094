/* Which bytes are UTF-8: arguments and messages may hold any. */
#ifndef ASSAY_HARNESS_UTF8_H
#define ASSAY_HARNESS_UTF8_H

#include <stddef.h>

/* Length of the valid UTF-8 sequence at s; 0 when it is none. */
static inline size_t assay_utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

#endif
