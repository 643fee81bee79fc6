/* How a process was started. The worker has taken its variables out of the environment; the kernel still has them. */
#ifndef ZEROCTS_TESTDATA_STARTED_WITH_H
#define ZEROCTS_TESTDATA_STARTED_WITH_H
#include <stdio.h>
#include <string.h>

/* `wanted`: "NAME=value" */
static int WasStartedWith(const char* wanted) {
  char entry[4096];
  size_t length = 0;
  int found = 0;
  FILE* file = fopen("/proc/self/environ", "r");
  for (int c; file && (c = fgetc(file)) != EOF;) {
    if (length + 1 < sizeof entry) entry[length++] = (char)c;
    if (c != 0) continue;
    found |= strcmp(entry, wanted) == 0;
    length = 0;
  }
  if (file) fclose(file);
  return found;
}

#endif
