/* full_status.c: errors as sentences. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "conformance/specimen/full.h"

struct zerocts_status {
  int code;
  char message[512];
};

/* When there is no memory to say so; never written, as ranks share it. */
static zerocts_status out_of_memory = {ZEROCTS_OUT_OF_MEMORY, "out of memory"};

zerocts_status* Error(int code, const char* format, ...) {
  zerocts_status* status = malloc(sizeof *status);
  if (status == NULL) return &out_of_memory;
  va_list arguments;
  va_start(arguments, format);
  status->code = code;
  vsnprintf(status->message, sizeof status->message, format, arguments);
  va_end(arguments);
  return status;
}

int StatusCode(const zerocts_status* status) { return status->code; }
const char* StatusMessage(const zerocts_status* status) { return status->message; }
void StatusFree(zerocts_status* status) {
  if (status != &out_of_memory) free(status);
}
