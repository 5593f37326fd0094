/* Text inside XML and HTML. */
#ifndef ASSAY_HARNESS_MARKUP_H
#define ASSAY_HARNESS_MARKUP_H

#include <stdint.h>
#include <stdio.h>

/* Writes text that may hold anything so that it is content or a quoted attribute of XML 1.0 and
 * HTML: markup escaped; bytes that are not UTF-8 and characters that XML has not become U+FFFD. */
void assay_markup_text(FILE *out, const char *text);

/* The same for an attribute, where a parser would turn line ends and tabs into blanks. */
void assay_markup_attribute(FILE *out, const char *text);

/* Nothing escaped, but what XML cannot hold replaced all the same: for Markdown. */
void assay_markup_plain(FILE *out, const char *text);

/* 43598334 as "43,598,334". */
void assay_markup_count(FILE *out, int64_t count);

#endif
