// A libnccl of our own, for tests: the functions that we call, on memory of the host, between threads and processes of
// one host. It really moves data, and does wrong on demand.
#pragma once
#include <cstdint>

namespace zerocts {

/// What the stub of this process does wrong; inherited by forked processes.
struct NcclStubFaults {
  int version = 0;             // 0: as its header says
  int rank = -1;               // of a communicator: whose calls and memory the faults below concern
  const char* call = nullptr;  // this function returns `code`
  int code = 0;
  int async_code = 0;        // what ncclCommGetAsyncError tells once the rank has asked for something
  bool stalls = false;       // nothing that the rank asks for happens
  bool hides_stall = false;  // ncclCommGetAsyncError tells success all the same, as when a kernel hangs
  bool abort_hangs = false;  // ncclCommAbort does not return
  // Of all ranks:
  bool adds_in_rank_order = false;  // instead of the ring's
};

using NcclStubFaultsOf = NcclStubFaults*();
inline constexpr const char* kNcclStubFaultsOf = "zerocts_nccl_stub_faults";

}  // namespace zerocts
