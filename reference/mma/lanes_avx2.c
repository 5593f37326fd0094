/* The lane kernel for AVX2; compiled with its flags, called only where the processor has it. */
#define MMA_LANES_STEP mma_lanes_step_avx2
#include "lanes.h"
