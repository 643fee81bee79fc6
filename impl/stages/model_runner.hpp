// Forward and backward of one micro-batch, unit by unit, on the engine's own parameters and into the engine's own
// gradients: whole parameters are there while a unit computes with them, and those of the next unit are on their way.
#pragma once
#include <vector>

#include "impl/stages/arrangement.hpp"
#include "impl/stages/device_tensors.hpp"
#include "impl/stages/gradient_store.hpp"
#include "impl/stages/model_buffers.hpp"
#include "impl/stages/parameter_store.hpp"
#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/model.hpp"

namespace zerocts::engine {

class ModelRunner {
 public:
  explicit ModelRunner(const RankContext& context);

  /// inputs [batch, context] and targets [batch, targets per sequence] of the host. Gradients are those of loss_scale *
  /// loss, and zero for frozen parameters. Returns the mean loss of the micro-batch. Collective.
  double ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch, int64_t context,
                         float loss_scale, const std::vector<bool>& frozen, ParameterStore& parameters,
                         const ModelBuffers& buffers, GradientStore& gradients);

 private:
  void Unshard(int unit, ParameterStore& parameters) const;
  std::vector<const float*> Values(int unit, ParameterStore& parameters, const ModelBuffers& buffers) const;
  float* GradientOf(int p) const;
  void Forward(int unit, ParameterStore& parameters, const ModelBuffers& buffers);
  void Backward(int unit, int micro_batch, const std::vector<bool>& frozen, ParameterStore& parameters,
                const ModelBuffers& buffers, GradientStore& gradients);
  void FinishSection(int section, int micro_batch, const std::vector<bool>& frozen, GradientStore& gradients);

  const EngineSettings& settings_;
  const Arrangement& arrangement_;
  DeviceStream& compute_;
  Timeline& timeline_;
  DeviceTensors tensors_;
  TensorGroup tensor_ranks_;
  Model model_;
  std::vector<std::vector<int>> sections_;  // [units]: those that a unit computes with
  Buffer wide_;                             // fp32 copies of one unit's bf16 parameters: it computes on fp32 values
  Buffer unwanted_;                         // the gradient of a buffer
  std::vector<float*> area_;                // [sections]: where backward writes now
};

}  // namespace zerocts::engine
