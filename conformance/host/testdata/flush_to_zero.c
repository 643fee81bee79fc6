/* What linking with -ffast-math does to the process that loads the library. */
#include <xmmintrin.h>

__attribute__((constructor)) static void FlushToZero(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
