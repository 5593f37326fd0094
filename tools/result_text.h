/* One result, told in full. */
#ifndef ASSAY_TOOLS_RESULT_TEXT_H
#define ASSAY_TOOLS_RESULT_TEXT_H

#include <stdio.h>

#include "result.h"

/* Verdict and case, check, kernel, failure text, what was compared, hashes of inputs and outputs.
 */
void result_text_print(FILE *out, const assay_result *result);

#endif
