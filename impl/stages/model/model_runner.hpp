// Forward and backward of one micro-batch, unit by unit, on the engine's own parameters and into the engine's own
// gradients: whole parameters are there while a unit computes with them, and those of the next unit are on their way.
#pragma once
#include <vector>

#include "impl/device/device.hpp"
#include "impl/stages/model/model_sharding_units.hpp"
#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/model.hpp"
#include "reference/model/tensor_memory.hpp"

namespace zerocts::engine {

/// What a model makes of a micro-batch, in memory of the device.
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

class ModelRunner {
 public:
  /// `classes`: the dense one, and where the model has experts that of this rank's.
  explicit ModelRunner(const std::vector<ParameterClass*>& classes);

  /// inputs [batch, context] and targets [batch, targets per sequence] of the host. Gradients are those of loss_scale *
  /// loss, and zero for frozen parameters. Returns the mean loss of the micro-batch. Collective.
  double ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch, int64_t context,
                         float loss_scale, const std::vector<bool>& frozen);

 private:
  void Unshard(int unit);
  std::vector<const float*> Values(int unit);
  const ModelShardingUnits* PartWith(int parameter) const;
  float* GradientOf(int parameter) const;
  void Forward(int unit);
  void Backward(int unit, int micro_batch, const std::vector<bool>& frozen);

  const EngineSettings& settings_;  // with the parts of parameters that this rank's dense layers have
  const Arrangement& arrangement_;  // of the dense ones
  const int expert_;                // of this rank
  const ModelBuffers& buffers_;
  DeviceStream& compute_;
  Timeline& timeline_;
  DeviceTensors tensors_;
  TensorGroup tensor_ranks_;
  Model model_;
  std::vector<ModelShardingUnits> parts_;  // [classes]
  Buffer wide_;                            // fp32 copies of one unit's bf16 parameters: it computes on fp32 values
  Buffer unwanted_;                        // the gradient of a buffer
};

}  // namespace zerocts::engine
