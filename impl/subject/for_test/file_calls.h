/* Records the calls that open or change what lies below one folder, and ends the process before one of them, as a crash
 * would. They stand in the program, so the libraries that it loads call them in place of those of the C library. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/* From now on: SIGKILL before call number `fatal_call`, 1 being the next one; 0: never. */
void watch_file_calls(const char* folder, long fatal_call);

/* Since then, in lines: "fsync PATH". A call that makes a file is "create PATH", a write in any form "write PATH". */
const char* file_calls(void);

#ifdef __cplusplus
}
#endif
