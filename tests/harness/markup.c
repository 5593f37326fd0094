#include "markup.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "utf8.h"

/* Characters that XML 1.0 cannot hold, even escaped: most controls, U+FFFE and U+FFFF. */
static bool forbidden(const unsigned char *s, size_t length) {
    if (length == 1) return (s[0] < 0x20 && !strchr("\t\n\r", s[0])) || s[0] == 0x7f;
    return length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
}

typedef enum place { PLAIN, CONTENT, ATTRIBUTE } place;

static void put(FILE *out, const char *text, place where) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const size_t length = assay_utf8_length(s);
        const bool blank = length == 1 && (*s == '\t' || *s == '\n' || *s == '\r');
        if (length == 0 || forbidden(s, length))
            fputs("\xef\xbf\xbd", out);
        else if (where == PLAIN)
            fwrite(s, 1, length, out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if (*s == '\'')
            fputs("&#39;", out);
        else if (blank && (where == ATTRIBUTE || *s == '\r'))
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
}

void assay_markup_text(FILE *out, const char *text) { put(out, text, CONTENT); }
void assay_markup_attribute(FILE *out, const char *text) { put(out, text, ATTRIBUTE); }
void assay_markup_plain(FILE *out, const char *text) { put(out, text, PLAIN); }

void assay_markup_count(FILE *out, int64_t count) {
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    for (int i = 0; i < length; i++) {
        fputc(digits[i], out);
        if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-') fputc(',', out);
    }
}
