/* What the files of a case share: attributes by name, and values as text. */
#ifndef ASSAY_HARNESS_CASE_INTERNAL_H
#define ASSAY_HARNESS_CASE_INTERNAL_H

#include "names.h"
#include "op.h"

#define CASE_NO_ATTR SIZE_MAX
#define CASE_REAL_TEXT 32

/* Index of the attribute `key` of the op; CASE_NO_ATTR when it declares none. */
size_t case_attr_find(const assay_op *op, const char *key);

/* Tables for assay_name_help: the ops (table unused), the keys of an op. */
const char *case_op_name_at(const void *table, size_t index);
const char *case_key_at(const void *op, size_t index);

/* The shortest decimal that reads back as the same double: "1e-6", "0.5", "-0". */
void case_real_text(double value, char text[CASE_REAL_TEXT]);

/* Reads a value of the attribute's kind; INTs also outside min..max. */
assay_status case_value_read(const assay_op *op, const assay_attr *attr, const char *text,
                             assay_value *value);

/* Writes the canonical line without the keys in `skip` (NULL: all) like snprintf: returns the
 * length that it has or would have. */
size_t case_write(const assay_case *c, const char *const *skip, char *line, size_t size);

/* Copies the next blank-separated word and moves on; false at the end. The text is shorter than
 * ASSAY_CASE_LINE. */
bool case_next_word(const char **cursor, char word[ASSAY_CASE_LINE]);

#endif
