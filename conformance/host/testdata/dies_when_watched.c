/* A library that can be loaded only where no variable says that it is tested. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

__attribute__((constructor)) static void Look(void) {
  for (char** entry = environ; *entry; entry++) {
    if (strncmp(*entry, "ZEROCTS_", 8) == 0) raise(SIGSEGV);
  }
}
