/* Ranks meet at the host's barrier. */
#include "conformance/host/testdata/meet.h"

const char* MeetOthers(const zerocts_host* host, uint32_t deadline_ms) {
  return host->barrier(host->context, deadline_ms) == ZEROCTS_OK ? NULL : host->last_error(host->context);
}
void LeaveOthers(void) {}
