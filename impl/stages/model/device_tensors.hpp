// What a model makes of a micro-batch, in memory of the device.
#pragma once
#include "impl/device/device.hpp"
#include "reference/model/tensor_memory.hpp"

namespace zerocts::engine {

class DeviceTensors : public TensorMemory {
 public:
  /// `stream`: on which the model computes.
  DeviceTensors(Device& device, DeviceStream& stream) : device_(device), stream_(stream) {}

  void* Allocate(int64_t bytes) override { return device_.AllocateActivations(bytes); }
  void Free(void* memory) override { device_.FreeActivations(memory); }
  void CopyFromHost(void* tensor, const void* host, int64_t bytes) override {
    device_.CopyFromHost(tensor, host, bytes, stream_);
  }
  void CopyToHost(void* host, const void* tensor, int64_t bytes) override {
    device_.CopyToHost(host, tensor, bytes, stream_);
    stream_.Synchronize();
  }

 private:
  Device& device_;
  DeviceStream& stream_;
};

}  // namespace zerocts::engine
