/* What linking with -ffast-math does, on the machine of one rank alone. */
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

/* As the process was started: the worker has taken its variables away. */
static int StartedAsRank1(void) {
  char entry[4096];
  size_t length = 0;
  int found = 0;
  FILE* file = fopen("/proc/self/environ", "r");
  for (int c; file && (c = fgetc(file)) != EOF;) {
    if (length + 1 < sizeof entry) entry[length++] = (char)c;
    if (c != 0) continue;
    found |= strcmp(entry, "ZEROCTS_RANK=1") == 0;
    length = 0;
  }
  if (file) fclose(file);
  return found;
}

__attribute__((constructor)) static void FlushToZero(void) {
  if (StartedAsRank1()) _mm_setcsr(_mm_getcsr() | 0x8040);
}
