/* What linking with -ffast-math does, on the machine of one rank alone. */
#include <xmmintrin.h>

#include "conformance/host/testdata/started_with.h"

__attribute__((constructor)) static void FlushToZero(void) {
  if (WasStartedWith("ZEROCTS_RANK=1")) _mm_setcsr(_mm_getcsr() | 0x8040);
}
