/* The lane kernel for AVX-512; compiled with its flags, called only where the processor has it. */
#define MMA_LANES_NAME mma_lanes_avx512
#include "lanes.h"
