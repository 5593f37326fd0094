/* The lane kernel for the compiler's baseline. */
#define MMA_LANES_STEP mma_lanes_step_portable
#include "lanes.h"
