/* Arrays, for AVX2 with FMA; compiled with its flags, called only where the processor has it. */
#define SFU_MANY sfu_many_avx2
#include "many.h"
