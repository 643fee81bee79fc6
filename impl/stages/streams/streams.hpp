// The queues of one rank's device.
#pragma once
#include <memory>

#include "impl/stages/streams/logged_stream.hpp"

namespace zerocts::engine {

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
