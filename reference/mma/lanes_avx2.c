/* The lane kernel for AVX2; compiled with its flags, called only where the processor has it. */
#define MMA_LANES_NAME mma_lanes_avx2
#include "lanes.h"
