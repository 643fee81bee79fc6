// A libnccl of our own, for tests: the functions that we call, on memory of the host, between threads and processes of
// one host. It really moves data, and does wrong on demand.
#pragma once
#include <atomic>
#include <cstdint>

namespace zerocts::engine {

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
  bool loses_child = false;  // ncclCommSplit ends well and gives no communicator
  // Faults of all ranks:
  bool adds_in_rank_order = false;  // instead of the ring's
};

/// What the stub of this process saw, and how it reaches the memory of a device that the host cannot touch.
struct NcclStubSeen {
  std::atomic<int> splits = 0;      // calls of ncclCommSplit
  std::atomic<int> registered = 0;  // pieces of memory that are registered now
  void (*open_memory)(bool open) = nullptr;
};

using NcclStubFaultsOf = NcclStubFaults*();
using NcclStubSeenOf = NcclStubSeen*();
inline constexpr const char* kNcclStubFaultsOf = "zerocts_nccl_stub_faults";
inline constexpr const char* kNcclStubSeenOf = "zerocts_nccl_stub_seen";

}  // namespace zerocts::engine
