// The transport between ranks. One file per backend (threads, shm, mpi); what all share is written once in ordered_collectives.hpp.
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

/// Memory that a communicator may read from other ranks (shared windows, registered memory); freed by the communicator's device.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int world_size() const = 0;
  virtual std::string name() const = 0;  // "threads", "shm", "mpi"

  /// Collective: memory for collectives, `bytes` on this rank (may differ between ranks), counted as `kind`.
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;
  virtual void Free(void* memory) = 0;  // collective

  /// Every rank's piece to every rank: piece of rank r is [offsets[r], offsets[r+1]) bytes of `buffer` (from Allocate, the same layout everywhere),
  /// in place. Collective.
  virtual void AllGather(void* buffer, const std::vector<int64_t>& offsets_bytes, const char* what) = 0;

  /// `full` [offsets.back()] fp32 from Allocate holds this rank's contribution; `out` [offsets[rank+1] - offsets[rank]] receives the fold over ranks
  /// of this rank's piece, divided by `divisor`. `fold_of_rank(owner)` has one leaf per rank. Collective; `full` may be reused on return.
  virtual void ReduceScatter(float* out, float* full, const std::vector<int64_t>& offsets, const std::function<Fold(int)>& fold_of_owner,
                             float divisor, Ops& ops, const char* what) = 0;

  /// Sums integers (exact in any order). Collective.
  virtual void AllReduceSum(uint64_t* inout, int64_t count, const char* what) = 0;

  virtual void Barrier(const char* what) = 0;
};

/// What ranks use to find each other before there is a communicator: the host's put / get / barrier of zerocts_subject.h.
struct Rendezvous {
  std::function<void(const std::string& key, const std::string& value)> put;
  std::function<std::string(const std::string& key, size_t bytes)> get;  // waits; throws CollectiveTimeout
  std::function<void()> barrier;
};

struct CommunicatorSettings {
  int rank = 0, world_size = 1;
  std::chrono::milliseconds deadline{10000};
  Rendezvous rendezvous;
  Device* device = nullptr;
  bool ranks_share_process = false;
  std::function<void(const char* operation, const char* detail)> progress = [](const char*, const char*) {};
};

/// "threads", "shm", "mpi" or "auto" (threads when ranks share the process, mpi under mpirun, else shm). A backend that this build lacks throws
/// std::invalid_argument: "backend mpi is not in this build (ZEROCTS_WITH_MPI=OFF); this build has: threads, shm".
std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings);

}  // namespace zerocts
