// What every backend does alike when a collective is asked for: checks it, numbers it in program order, and enqueues
// its body, which knows only memory, peers and a deadline.
#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "impl/comm/collective_call.hpp"
#include "impl/comm/communicator.hpp"
#include "impl/comm/group.hpp"
#include "impl/device/device.hpp"

namespace zerocts::engine {

/// What a transport holds for its messages: one piece of memory that grows with the largest call.
class Staging {
 public:
  explicit Staging(Device& device) : device_(device) {}
  ~Staging() { Release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// At least `bytes`, which calls enqueued on `stream` may use one after the other. Where it has to grow it waits for
  /// those that use the old memory.
  std::byte* Reserve(int64_t bytes, DeviceStream& stream) {
    if (bytes > bytes_) {
      stream.Synchronize();
      Release();
      memory_ = device_.Allocate(bytes, MemoryKind::kBuffer);
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(memory_);
  }

  int64_t bytes() const { return bytes_; }

  /// The memory is left to messages that may still come.
  void Abandon() { memory_ = nullptr; }

 private:
  void Release() {
    if (memory_) device_.Free(std::exchange(memory_, nullptr));
    bytes_ = 0;
  }

  Device& device_;
  void* memory_ = nullptr;
  int64_t bytes_ = 0;
};

class EnqueuingCommunicator : public Communicator {
 public:
  int rank() const override { return group_.rank; }
  int world_size() const override { return group_.size(); }
  std::string name() const override { return name_; }
  int64_t staging_bytes() const override { return staging_.bytes(); }
  Traffic traffic() const override;

  void AllGather(void* full, const void* own, const Cuts& cuts, int element_bytes, DeviceStream& stream,
                 const char* what) override;
  void ReduceScatter(float* out, void* full, const Cuts& cuts, const Reduction& reduction, WireType wire,
                     DeviceStream& stream, const char* what) override;
  void AllToAll(float* out, float* full, const Cuts& cuts, DeviceStream& stream, const char* what) override;
  void AllReduceSum(uint64_t* inout, int64_t count, DeviceStream& stream, const char* what) override;
  void Barrier(const char* what) override;

 protected:
  struct GatherRequest {
    std::byte* full;
    const std::byte* own;
    Cuts cuts;
    int element_bytes;
    bool in_place() const { return own == full; }
  };
  struct ReduceRequest {
    float* out;
    std::byte* full;
    Cuts cuts;
    Reduction reduction;
    WireType wire;
    bool in_place() const { return reinterpret_cast<std::byte*>(out) == full; }
  };
  struct Moved {
    int64_t sent_bytes = 0, received_bytes = 0;
  };
  using Body = std::function<Moved(const CollectiveCall& call)>;

  EnqueuingCommunicator(std::string name, const CommunicatorSettings& settings);

  // A body is made when the call is enqueued, while earlier bodies may run, and runs once.
  virtual Body GatherBody(GatherRequest request, DeviceStream& stream) = 0;
  virtual Body ReduceBody(ReduceRequest request, DeviceStream& stream) = 0;
  virtual Body SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) = 0;
  virtual void ArriveAndWait(const CollectiveCall& call) = 0;  // returns when every rank has come
  /// A body of this rank failed: who waits for it shall not wait on. By default they learn it from their deadlines.
  virtual void Abort() {}
  /// Throws unless this backend can add as `reduction` says.
  virtual void CheckReduction(const Reduction& reduction, WireType wire) const;

  const CommunicatorSettings& settings() const { return settings_; }
  const Group& group() const { return group_; }
  Staging& staging() { return staging_; }
  CollectiveCall NextCall(const char* operation, const char* what);
  void ForgetTraffic();  // the account begins now

  /// Visits the other ranks, the next one first, so that not all ranks turn to rank 0 at once.
  template <class Visit>
  void ForEachPeer(const Visit& visit) const {
    for (int hop = 1; hop < world_size(); ++hop) visit((rank() + hop) % world_size());
  }

 private:
  void Enqueue(DeviceStream& stream, const char* operation, const char* what, Traffic::Count Traffic::*count, Body body,
               std::vector<Overwritten> overwritten);
  Moved Execute(const Body& body, uint64_t sequence, const char* operation, const char* what);

  const std::string name_;
  const CommunicatorSettings settings_;
  const Group group_;
  Staging staging_;
  uint64_t calls_ = 0;  // enqueued
  mutable std::mutex mutex_;
  Traffic traffic_;  // guarded by mutex_
};

}  // namespace zerocts::engine
