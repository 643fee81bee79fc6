// A unit: one link in the chain from tokens to losses, with its backward.
// Legend: B = batch, T = context, C = channels per token, V = vocab, I = inputs, O = outputs of a layer, R = rows (B,
// or B*T); row-major.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/model/model_spec.hpp"
#include "reference/model/tensor_memory.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

struct MicroBatch {
  const int32_t* inputs;                  // [B, T]
  const int32_t* targets;                 // [B, targets per sequence]
  int64_t size;                           // B
  TensorMemory* memory = &HostTensors();  // for what units make of it; inputs and targets are there too
  float loss_scale = 1.0f;                // gradients are those of loss_scale * loss
  int expert = 0;                         // whose copy of a layer with experts it goes through
};

/// Where gradients start.
inline void ScaleGradient(Ops& ops, const MicroBatch& batch, float* gradient, int64_t numel) {
  if (batch.loss_scale != 1.0f) ops.Scale(gradient, batch.loss_scale, numel);
}

/// A matrix [.., fan_in]: bound 1 / sqrt(fan_in).
inline InitialRange MatrixRange(int64_t fan_in) { return {0.0f, 1.0f / std::sqrt(static_cast<float>(fan_in))}; }
/// The same for every element.
inline InitialRange Constant(float value) { return {value, 0.0f}; }

struct UnitParameter {
  ParameterSpec spec;
  InitialRange initial;
  TensorCut cut = {};
  int expert = kOfNoExpert;
};

/// Activations stay where they were made until the next Forward: a unit keeps pointers to its input and owns its
/// output. Both are mutable because the consumer rounds them in place when it needs bf16 operands, and so are
/// gradients, which a unit may overwrite with its own.
class Unit {
 public:
  virtual ~Unit() = default;
  virtual std::vector<UnitParameter> parameters() const { return {}; }

  /// `in`: output of the unit before (the first one gets nullptr). Returns this unit's output.
  virtual float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) = 0;

  /// `upstream`: d loss / d output. Overwrites gradients[p] and returns d loss / d input, valid until the next call.
  virtual float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                          float* upstream) = 0;
};

}  // namespace zerocts
