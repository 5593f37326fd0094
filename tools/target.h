/* What cases run on: --backend and --chip as text. */
#ifndef ASSAY_TOOLS_TARGET_H
#define ASSAY_TOOLS_TARGET_H

#include <stdbool.h>

#include "runner.h"

/* Sets the back end and the chip of `run`; NULL leaves the default. False, with a message, when one
 * is unknown, the chip is not one of the back end's, or that cannot run checked. */
bool target_settle(const char *command, const char *backend, const char *chip,
                   assay_run_options *run);

/* The chip's name, the runner's default included. */
const char *target_chip_name(const assay_run_options *run);

#endif
