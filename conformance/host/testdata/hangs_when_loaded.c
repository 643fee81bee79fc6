/* A library whose constructor never returns. */
#include <unistd.h>

__attribute__((constructor)) static void Hang(void) {
  for (;;) pause();
}
