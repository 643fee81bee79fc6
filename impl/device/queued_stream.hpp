// A stream of a device whose memory the host can reach: everything happens on a thread of its own.
#pragma once
#include <functional>

#include "impl/device/queued_ops.hpp"
#include "impl/device/stream_queue.hpp"

namespace zerocts::engine {

class QueuedStream : public DeviceStream {
 public:
  /// What happens on the stream's thread right before an operation, given what that overwrites.
  using Prelude = std::function<void(const std::vector<Overwritten>& overwritten)>;

  /// `ops` performs, on the stream's thread, what is enqueued through ops().
  explicit QueuedStream(Prelude prelude = nullptr, Ops& ops = HostOps());
  Ops& ops() override { return ops_; }
  void Run(std::function<void()> work, std::vector<Overwritten> overwritten = {}) override;
  Event Record() override { return queue_.Record(); }
  void WaitFor(const Event& event) override { queue_.WaitFor(event); }
  void Synchronize() override { queue_.Synchronize(); }

 private:
  const Prelude prelude_;
  QueuedOps ops_;
  StreamQueue queue_;  // the last member: its thread uses the others
};

}  // namespace zerocts::engine
