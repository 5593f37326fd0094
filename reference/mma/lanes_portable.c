/* The lane kernel for the compiler's baseline. */
#define MMA_LANES_NAME mma_lanes_portable
#include "lanes.h"
