/* Beside a subject that is as it should be: its process aborts when it ends. */
#include <stdlib.h>

__attribute__((destructor)) static void Die(void) { abort(); }
