// A model: units with forward and backward over Ops. A unit is what a sharded engine gathers and releases at once.
#pragma once
#include <memory>
#include <vector>

#include "reference/model/model_spec.hpp"
#include "reference/model/unit.hpp"
#include "reference/model/units.hpp"

namespace zerocts {

/// One rank's model. In bf16 every operand of a matrix product (parameter, activation, upstream gradient) is rounded to
/// bf16 and products are accumulated in fp32; parameter gradients are rounded to bf16.
///
/// One micro-batch is Begin, Forward(0) .. Forward(units - 1), Backward(units - 1) .. Backward(0), or ForwardBackward
/// for all of it. A parameter that several units compute with has the sum of their gradients, added in that order.
/// Values and gradients of experts that the micro-batch does not go through are not touched, and may be null.
class Model {
 public:
  /// `memory`: of what `ops` computes on, for tokens, activations and gradients of activations.
  Model(const ModelSpec& spec, Precision precision, Ops& ops, TensorMemory& memory = HostTensors());
  /// `units`: of UnitsOf(spec, precision, ..), for a process that has a part of each layer.
  Model(const ModelSpec& spec, Precision precision, Ops& ops, TensorMemory& memory, Units units);

  const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  int units() const { return static_cast<int>(units_.size()); }
  /// Indices into parameters().
  const std::vector<int>& ParametersOf(int unit) const { return units_[unit].parameters; }
  /// The unit whose Backward completes the gradient: the first one that computes with it.
  int LastWriterOf(int parameter) const { return last_writer_[parameter]; }

  /// inputs [B, T], targets [B, targets per sequence], of the host, the caller's until Backward(0). Gradients are those
  /// of loss_scale * loss. `expert`: which one the micro-batch goes through. Throws std::invalid_argument when a token
  /// is outside [0, V).
  void Begin(const int32_t* inputs, const int32_t* targets, int64_t batch, float loss_scale = 1.0f, int expert = 0);
  /// parameters[p]: fp32 values of the compute parameters (bf16-representable in bf16); read for p in
  /// ParametersOf(unit).
  void Forward(int unit, const std::vector<const float*>& parameters);
  /// gradients[p], p in ParametersOf(unit): overwritten with d loss / d parameter by its first writer.
  void Backward(int unit, const std::vector<const float*>& parameters, const std::vector<float*>& gradients);
  /// After the last Forward: the mean over all targets, in double. Waits.
  double Loss() const;

  /// Returns the loss.
  double ForwardBackward(const std::vector<const float*>& parameters, const std::vector<float*>& gradients,
                         const int32_t* inputs, const int32_t* targets, int64_t batch, float loss_scale = 1.0f,
                         int expert = 0);

 private:
  struct Link {
    std::unique_ptr<Unit> unit;
    std::vector<int> parameters;
  };
  /// Does the micro-batch go through it?
  bool IsUsed(int parameter) const { return expert_[parameter] == kOfNoExpert || expert_[parameter] == batch_.expert; }
  void CheckTokens(const char* what, const int32_t* tokens, int64_t count) const;

  const ModelSpec spec_;
  const Precision precision_;
  Ops& ops_;
  TensorMemory& memory_;
  std::vector<Link> units_;
  std::vector<ParameterSpec> parameters_;
  std::vector<int> first_writer_, last_writer_;  // of each parameter: units
  std::vector<int> expert_;                      // of each parameter

  MicroBatch batch_{};
  float* activation_ = nullptr;       // between two calls of Forward; after the last one the losses
  float* upstream_ = nullptr;         // between two calls of Backward
  Tensor<int32_t> inputs_, targets_;  // of batch_, in memory_
  Tensor<float> shared_gradient_;     // of a parameter that was written before
  int64_t shared_numel_ = 0;          // of the largest one
};

}  // namespace zerocts
