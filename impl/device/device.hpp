// Where bytes live and who computes: memory, streams, events. One file per backend: host, sim, cuda.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/ops/ops.hpp"

namespace zerocts::engine {

enum class MemoryKind { kParameter = 0, kGradient = 1, kOptimizer = 2, kBuffer = 3 };  // as in zerocts_subject.h

/// Who gives the memory and counts it; the ABI's host in a subject, plain malloc in unit tests.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;  // throws std::bad_alloc
  virtual void Free(void* memory) = 0;
  /// Memory that is not the host's to give, an accelerator's, enters the account and leaves it; nothing is allocated.
  virtual void Count(int64_t /*bytes*/, MemoryKind) {}
  virtual void Uncount(int64_t /*bytes*/, MemoryKind) {}
};

/// A moment of one stream.
class StreamEvent {
 public:
  virtual ~StreamEvent() = default;
  virtual void Synchronize() const = 0;  // the caller waits until it has come
};
using Event = std::shared_ptr<const StreamEvent>;  // nullptr: it has come already

/// Memory that an operation overwrites without reading it.
struct Overwritten {
  void* memory = nullptr;
  int64_t bytes = 0;
};

/// A queue of operations that happen in order. Enqueuing returns at once, or after the operation where a backend runs
/// everything at once. An operation that throws spends the stream: Synchronize, and everything enqueued later, throws
/// the same. Used by one thread at a time.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  virtual Ops& ops() = 0;  // every call enqueues
  /// Any work of the host, on memory that the host can reach; on the device's, through ops_of_work.
  virtual void Run(std::function<void()> work, std::vector<Overwritten> overwritten = {}) = 0;
  /// For what Run runs, while it runs: operations on memory of the device that have happened when the call returns.
  virtual Ops& ops_of_work() { return HostOps(); }
  /// For what Run runs, while it runs: the accelerator's own handle of this stream, for a library that enqueues on it
  /// by itself (a cudaStream_t), and whether what it enqueued has happened. nullptr, and true, where there is none.
  virtual void* native_handle() { return nullptr; }
  virtual bool native_handle_is_idle() { return true; }
  /// Every operation happens before the call that enqueues it returns, on the caller's thread.
  virtual bool runs_at_once() const { return false; }
  /// The stream of the device itself, where this one only looks on.
  virtual DeviceStream& underlying() { return *this; }
  virtual Event Record() = 0;                    // the moment after everything enqueued so far
  virtual void WaitFor(const Event& event) = 0;  // what is enqueued from here on happens after `event`
  virtual void Synchronize() = 0;                // returns when everything enqueued so far has happened
};

/// A copy stream moves bytes between host and device, and its ops() compute on memory of the host.
enum class StreamRole { kCompute, kCommunication, kCopy };

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual bool host_can_reach() const { return true; }  // memory of the device, as if it were its own
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;
  /// At once, whatever streams still do with it: it is the caller who waits first.
  virtual void Free(void* memory) = 0;
  /// The same for what a model makes of a micro-batch: in no account, since no ZeRO stage shards it.
  virtual void* AllocateActivations(int64_t bytes) = 0;
  virtual void FreeActivations(void* memory) = 0;
  /// Fills memory of the device with a pattern that is NaN in every dtype, at once.
  virtual void Poison(void* memory, int64_t bytes) = 0;
  /// Memory of the host that copies can read and write while the host goes on (pinned where that is a thing).
  virtual void* AllocateHost(int64_t bytes, MemoryKind kind) = 0;
  virtual void FreeHost(void* memory) = 0;

  virtual std::unique_ptr<DeviceStream> MakeStream(StreamRole role) = 0;
  // Enqueued on `stream`; `host` is read or written when the copy happens.
  virtual void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) = 0;
  virtual void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) = 0;
};

/// Who multiplies matrices on a GPU. kExact: kernels of our own with the bits of the host. kFast, kTf32: a library on
/// tensor cores, with bits that are the same in every run and on every number of ranks; kTf32: operands in fp32 are
/// rounded to TF32.
enum class Math { kExact, kFast, kTf32 };

struct DeviceSettings {
  bool overlap = false;        // host: all but compute streams have a thread of their own. On sim and cuda all have
  uint64_t seed = 1;           // sim: of its delays
  int64_t capacity_bytes = 0;  // sim and cuda: of device memory; 0: as much as there is
  double delay_scale = 1;      // sim: its delays times this; 0: none
  static constexpr int kGpuOfRank = -1;
  int gpu = 0;               // cuda: which one, among those that the process sees; kGpuOfRank: they go round the ranks
  int rank = 0;              // cuda: whose device it is
  Math math = Math::kExact;  // cuda
};

/// "host", "sim" or "cuda"; an unknown one, or one that this build or machine does not have, throws Unimplemented with
/// what there is.
std::unique_ptr<Device> MakeDevice(const std::string& name, MemorySource& memory, const DeviceSettings& settings = {});

std::unique_ptr<Device> MakeHostDevice(MemorySource& memory, const DeviceSettings& settings);
std::unique_ptr<Device> MakeSimDevice(MemorySource& memory, const DeviceSettings& settings);
std::unique_ptr<Device> MakeCudaDevice(MemorySource& memory, const DeviceSettings& settings);
bool HasCuda();  // in this build

}  // namespace zerocts::engine
