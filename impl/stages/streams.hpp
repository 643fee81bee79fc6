// The queues of one rank's device.
#pragma once
#include <memory>

#include "impl/device/device.hpp"

namespace zerocts::engine {

struct Streams {
  explicit Streams(Device& device)
      : compute(device.MakeStream(StreamRole::kCompute)),
        communication(device.MakeStream(StreamRole::kCommunication)),
        copy(device.MakeStream(StreamRole::kCopy)) {}

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
