/* A table's functions that do nothing, for plugins of which only the table matters. */
#ifndef ZEROCTS_HOST_TESTDATA_STUBS_H
#define ZEROCTS_HOST_TESTDATA_STUBS_H

#include "conformance/abi/zerocts_subject.h"

static zerocts_status* Open(zerocts_open_args* a) { return (void)a, NULL; }
static zerocts_status* Accumulate(zerocts_accumulate_args* a) { return (void)a, NULL; }
static zerocts_status* Step(zerocts_step_args* a) { return (void)a, NULL; }
static zerocts_status* SetGroup(zerocts_set_group_args* a) { return (void)a, NULL; }
static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) { return (void)a, NULL; }
static zerocts_status* Owned(zerocts_owned_args* a) { return (void)a, NULL; }
static zerocts_status* ReadState(zerocts_read_state_args* a) { return (void)a, NULL; }
static zerocts_status* Memory(zerocts_memory_args* a) { return (void)a, NULL; }
static void Close(zerocts_engine* e) { (void)e; }
static int StatusCode(const zerocts_status* s) { return (void)s, ZEROCTS_INTERNAL; }
static const char* StatusMessage(const zerocts_status* s) { return (void)s, ""; }
static void StatusFree(zerocts_status* s) { (void)s; }

#define STUBS                                                                                                        \
  .name = "stub", .version = "1", .description = "", .open = Open, .accumulate = Accumulate, .step = Step,           \
  .set_group = SetGroup, .read_parameter = ReadParameter, .owned = Owned, .read_state = ReadState, .memory = Memory, \
  .close = Close, .status_code = StatusCode, .status_message = StatusMessage, .status_free = StatusFree

#endif
