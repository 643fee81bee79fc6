// The transport between the ranks of one group. One folder per family of backends (direct, mpi, nccl); what they share
// is written once: collective_call.hpp (sequence, deadline, who is missing) and, for those that read each other's
// memory, direct/communicator.hpp.
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

namespace zerocts::engine {

/// A wait that ran out. The text: "all_gather #12 (parameters): waited 5.0 s; arrived 0,1,3; missing 2".
struct CollectiveTimeout : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What this rank moved since the communicator was made, counted where it is copied. Own parts that stay are not
/// counted.
struct Traffic {
  struct Count {
    int64_t calls = 0, sent_bytes = 0, received_bytes = 0;
  };
  Count all_gather, reduce_scatter, all_reduce;
};

/// Where the ranks' parts of a buffer lie: rank r's part of cut c is elements [cuts[c][r], cuts[c][r + 1]) of the
/// buffer. Cuts are ascending and do not overlap.
using Cuts = std::vector<std::vector<int64_t>>;

/// How contributions become a part: folded over the group's ranks (one leaf per rank), then divided once. The fold may
/// differ from rank to rank (a ring starts at the owner).
struct Reduction {
  Fold fold;
  float divisor = 1;
  int64_t apart = 0;  // > 0: not added (AllToAll): rank r's contributions go to `out` + r * apart
};

enum class WireType { kFp32, kBf16 };  // of contributions on their way

/// One rank's end of the transport. Collectives are made by all ranks of the group in the same order with the same
/// cuts; they are enqueued on `stream` and have happened when that is synchronised. All collectives of one communicator
/// go to one stream. `what` is a literal: it is kept for messages. A call that fails spends the communicator: nothing
/// but its destructor may follow.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;          // in the group
  virtual int world_size() const = 0;    // of the group
  virtual std::string name() const = 0;  // of its line in the table of backends

  /// Collective, happens at once, while no collective is under way. Memory that other ranks may read during a
  /// collective (shared windows, registered memory), filled with a pattern that is NaN. Ranks may ask for different
  /// sizes.
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;
  virtual void Free(void* memory) = 0;  // local; never waits

  /// Bytes that the transport itself holds for its messages (kBuffer), beside what was asked through Allocate.
  virtual int64_t staging_bytes() const = 0;
  virtual Traffic traffic() const = 0;  // of the collectives that have happened

  /// Every rank's parts to every rank. `own`, from Allocate: this rank's parts one after the other, or `full` itself
  /// when each is at its offset there already. `full` is any memory of the device.
  virtual void AllGather(void* full, const void* own, const Cuts& cuts, int element_bytes, DeviceStream& stream,
                         const char* what) = 0;

  /// The ordered reduce-scatter. `full`, from Allocate, holds this rank's contribution, in `wire`'s type; the elements
  /// of padding are folded too and may hold anything. `out` receives this rank's parts one after the other, as fp32;
  /// with fp32 on the wire it may be `full` itself: then each stays at its offset. The rest of `full` may be reused
  /// when the call has happened.
  virtual void ReduceScatter(float* out, void* full, const Cuts& cuts, const Reduction& reduction, WireType wire,
                             DeviceStream& stream, const char* what) = 0;

  /// A reduce-scatter that leaves adding to the caller, and is counted as one: `out` receives this rank's parts of each
  /// rank's `full`, those of rank r one after the other from r * their numel on. `full` is from Allocate.
  virtual void AllToAll(float* out, float* full, const Cuts& cuts, DeviceStream& stream, const char* what) = 0;

  /// Sums integers of the host's memory modulo 2^64, so in any order.
  virtual void AllReduceSum(uint64_t* inout, int64_t count, DeviceStream& stream, const char* what) = 0;

  /// Waits at once, while no collective is under way.
  virtual void Barrier(const char* what) = 0;
};

/// Every rank's `numel` values, folded and divided, to every rank, in place: a reduce-scatter and an all-gather over
/// equal parts. `inout` is from Allocate.
void AllReduce(Communicator& comm, float* inout, int64_t numel, const Reduction& reduction, DeviceStream& stream,
               const char* what);

/// What ranks use to find each other before there is a communicator: set and get of the host (zerocts_subject.h).
struct Store {
  std::function<void(const std::string& key, const std::string& value)> set;
  std::function<std::string(const std::string& key, size_t bytes)> get;  // waits; throws CollectiveTimeout
};

struct CommunicatorSettings {
  int rank = 0, world_size = 1;  // of the whole world
  std::chrono::milliseconds deadline{10000};
  Store store;
  Device* device = nullptr;
  bool ranks_share_process = false;
  /// May be called from a stream's thread.
  std::function<void(const char* operation, const char* detail)> progress = [](const char*, const char*) {};
  std::function<void(const std::string& sentence)> log = [](const std::string&) {};

  // The group. Each group of a world has a name of its own; groups that share a name share no rank.
  std::string group = "world";
  std::vector<int> members;  // its ranks in the world, ascending, this one among them; empty: all

  bool nccl_shares_gpu = false;  // nccl: several ranks use one GPU; for tests of function only
  bool nccl_registers = false;   // nccl: memory from Allocate is registered with NCCL

  /// Only for shm+mpi: pretends that the world's first ranks_per_host[0] ranks are on one host, the next
  /// ranks_per_host[1] on another, and so on, the last number as often as needed. Empty: the hosts that there are.
  std::vector<int> ranks_per_host;
};

/// `backend`: a name of the table of backends (backends.hpp), or "auto": threads when ranks share the process; where
/// the host cannot reach the device's memory, nccl, and threads for one rank; mpi under mpirun, else shm. A backend
/// that this build lacks throws Unimplemented: "backend mpi is not in this build (ZEROCTS_WITH_MPI=OFF, ..); this build
/// has: threads, shm". Collective over the members. Texts of CollectiveTimeout name ranks of the world. "nccl-native"
/// is NCCL's own reduce-scatter: it takes the fold of `ring` alone, refuses at once where NCCL adds otherwise, and
/// counts no bytes of it.
std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings);

/// Communicators of several groups that this rank is in, one for each of `groups`; a group of one rank that is not the
/// whole world needs no backend. Collective over the world: at each index of `groups` every rank has one group.
std::vector<std::unique_ptr<Communicator>> MakeGroups(const std::string& backend,
                                                      const std::vector<CommunicatorSettings>& groups);

/// Once per process, after the last communicator: ends what a backend keeps for the whole process (MPI).
void ShutDownCommunicators();

}  // namespace zerocts::engine
