// The queues of one rank's device.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "impl/stages/streams/event_log.hpp"

namespace zerocts::engine {

/// Changes nothing of what the stream does.
class LoggedStream : public DeviceStream {
 public:
  /// `log` outlives it and its events. Waits are noted for events of streams that have the same log.
  LoggedStream(std::unique_ptr<DeviceStream> stream, EventLog& log);

  Ops& ops() override { return stream_->ops(); }
  void Run(std::function<void()> work, std::vector<Overwritten> overwritten = {}) override;
  Ops& ops_of_work() override { return stream_->ops_of_work(); }
  void* native_handle() override { return stream_->native_handle(); }
  bool native_handle_is_idle() override { return stream_->native_handle_is_idle(); }
  bool runs_at_once() const override { return stream_->runs_at_once(); }
  DeviceStream& underlying() override { return stream_->underlying(); }
  Event Record() override;
  void WaitFor(const Event& event) override;
  void Synchronize() override;

 private:
  const std::unique_ptr<DeviceStream> stream_;
  EventLog& log_;
  const QueueNumber queue_;
};

struct Streams {
  /// `events` outlives it.
  Streams(Device& device, EventLog& events)
      : compute(std::make_unique<LoggedStream>(device.MakeStream(StreamRole::kCompute), events)),
        communication(std::make_unique<LoggedStream>(device.MakeStream(StreamRole::kCommunication), events)),
        copy(std::make_unique<LoggedStream>(device.MakeStream(StreamRole::kCopy), events)) {}

  void Synchronize() {
    compute->Synchronize();
    communication->Synchronize();
    copy->Synchronize();
  }

  std::unique_ptr<DeviceStream> compute;        // forward, backward, the optimizer's step
  std::unique_ptr<DeviceStream> communication;  // all collectives, and the arithmetic that belongs to them
  std::unique_ptr<DeviceStream> copy;           // offload: copies to and from the host, and what is computed there
};

}  // namespace zerocts::engine
