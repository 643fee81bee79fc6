/* What linking with -ffast-math does, on the machine of one rank alone. */
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

__attribute__((constructor)) static void FlushToZero(void) {
  const char* rank = getenv("ZEROCTS_RANK");
  if (rank && strcmp(rank, "1") == 0) _mm_setcsr(_mm_getcsr() | 0x8040);
}
