/* Inputs of a case as .npy files. */
#ifndef ASSAY_HARNESS_OPERANDS_FILES_H
#define ASSAY_HARNESS_OPERANDS_FILES_H

#include "operands.h"

/* Writes every input as FOLDER/ROLE.npy; the folder is made when there is none. */
assay_status assay_operands_save(const assay_operands *o, const char *folder);

/* Replaces the input `role` by a file's, which must have its type (16-bit integers are taken for
 * bf16) and as many elements. */
assay_status assay_operands_load(assay_operands *o, const char *role, const char *path);

#endif
