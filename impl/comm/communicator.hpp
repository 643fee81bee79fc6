// The transport between ranks. One file per backend (threads, shm, mpi); what they share is written once:
// collective_call.hpp (sequence, deadline, who is missing) and, for the two that read each other's memory,
// direct_communicator.hpp.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/device/device.hpp"
#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// A wait that ran out. The text: "all_gather #12 (parameters): waited 5.0 s; arrived 0,1,3; missing 2".
struct CollectiveTimeout : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One rank's end of the transport. Every call but the first three and staging_bytes is collective: all ranks make it
/// in the same order with the same sizes. A call that throws spends the communicator: nothing but its destructor may
/// follow.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int world_size() const = 0;
  virtual std::string name() const = 0;  // "threads", "shm", "mpi"

  /// Memory that other ranks may read during a collective (shared windows, registered memory), filled with a pattern
  /// that is NaN.
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;
  virtual void Free(void* memory) = 0;  // never waits

  /// Bytes that the transport itself holds for its messages (kBuffer), beside what was asked through Allocate.
  virtual int64_t staging_bytes() const = 0;

  /// Every rank's piece to every rank, in place: the piece of rank r is bytes [offsets[r], offsets[r+1]) of `buffer`,
  /// which is from Allocate.
  virtual void AllGather(void* buffer, const std::vector<int64_t>& offsets_bytes, const char* what) = 0;

  /// The ordered reduce-scatter. `full` [offsets.back()] fp32 from Allocate holds this rank's contribution; `out`
  /// receives this rank's piece [offsets[rank], offsets[rank+1]), folded over ranks as `fold` says (one leaf per rank)
  /// and divided by `divisor`. `out` may be the piece itself, `full + offsets[rank]`; the rest of `full` may be reused
  /// on return. The fold runs on `stream`, and has happened on return.
  virtual void ReduceScatter(float* out, float* full, const std::vector<int64_t>& offsets, const Fold& fold,
                             float divisor, DeviceStream& stream, const char* what) = 0;

  /// Sums integers modulo 2^64, so in any order.
  virtual void AllReduceSum(uint64_t* inout, int64_t count, const char* what) = 0;

  virtual void Barrier(const char* what) = 0;
};

/// What ranks use to find each other before there is a communicator: the host's put and get of
/// zerocts_subject.h.
struct Rendezvous {
  std::function<void(const std::string& key, const std::string& value)> put;
  std::function<std::string(const std::string& key, size_t bytes)> get;  // waits; throws CollectiveTimeout
};

struct CommunicatorSettings {
  int rank = 0, world_size = 1;
  std::chrono::milliseconds deadline{10000};
  Rendezvous rendezvous;
  Device* device = nullptr;
  bool ranks_share_process = false;
  std::function<void(const char* operation, const char* detail)> progress = [](const char*, const char*) {};
};

/// "threads", "shm", "mpi" or "auto" (threads when ranks share the process, mpi under mpirun, else shm). A backend that
/// this build lacks throws Unimplemented: "backend mpi is not in this build (ZEROCTS_WITH_MPI=OFF); this build has:
/// threads, shm".
std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings);

/// Once per process, after the last communicator: ends what a backend keeps for the whole process (MPI).
void ShutDownCommunicators();

}  // namespace zerocts
