/* Arrays, for AVX-512; compiled with its flags, called only where the processor has it. */
#define SFU_MANY sfu_many_avx512
#include "many.h"
