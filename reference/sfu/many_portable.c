/* Arrays, for the compiler's baseline. */
#define SFU_MANY sfu_many_portable
#include "many.h"
