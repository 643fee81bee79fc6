/* A library whose constructor crashes. */
#include <signal.h>

__attribute__((constructor)) static void Die(void) { raise(SIGSEGV); }
