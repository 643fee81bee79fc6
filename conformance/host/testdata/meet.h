/* meet.h: how the ranks of faulty.c meet. */
#ifndef ZEROCTS_HOST_TESTDATA_MEET_H
#define ZEROCTS_HOST_TESTDATA_MEET_H
#include "conformance/abi/zerocts_subject.h"

const char* MeetOthers(const zerocts_host* host, uint32_t deadline_ms); /* NULL, or what went wrong */
void LeaveOthers(void);                                                 /* once per process */

#endif
