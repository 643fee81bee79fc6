// A model as a list of units with forward and backward over Ops.
// A unit is what a sharded engine gathers and releases at once.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/ops/ops.hpp"

namespace zerocts {

enum class Precision { kFp32, kBf16 };
std::string ToString(Precision precision);  // "fp32", "bf16"
Precision PrecisionFromString(const std::string& name);

struct ParameterSpec {
  std::string name;
  std::vector<int64_t> shape;  // [] is a scalar, a dimension may be 0
  int group = 0;
  int64_t numel() const;
  friend bool operator==(const ParameterSpec&, const ParameterSpec&) = default;
};

/// Character-level MLP language model: embedding, hidden layers with GELU, logits.
struct MlpSpec {
  int64_t vocab = 128;     // V
  int64_t context = 8;     // T tokens seen
  int64_t embedding = 16;  // C per token
  std::vector<int64_t> hidden = {64};
  friend bool operator==(const MlpSpec&, const MlpSpec&) = default;
};

/// Parameters in registration order; matrices and the embedding in group 0, biases in group 1 (no weight decay by
/// custom).
std::vector<ParameterSpec> MlpParameters(const MlpSpec& spec);

/// One rank's model. In bf16 every operand of a matrix product (parameter, activation, upstream gradient) is rounded to
/// bf16 and products are accumulated in fp32; parameter gradients are rounded to bf16.
class Model {
 public:
  virtual ~Model() = default;
  virtual const std::vector<ParameterSpec>& parameters() const = 0;

  /// Forward and backward of one micro-batch. Returns the loss, the mean over the batch, in double.
  /// `parameters[p]`: fp32 values of the compute parameters (bf16-representable in bf16).
  /// `gradients[p]`: overwritten with d loss / d parameter. inputs [B, T], targets [B].
  /// Throws std::invalid_argument when a token is outside [0, V).
  virtual double ForwardBackward(const std::vector<const float*>& parameters, const std::vector<float*>& gradients,
                                 const int32_t* inputs, const int32_t* targets, int64_t batch) = 0;
};

std::unique_ptr<Model> MakeMlp(const MlpSpec& spec, Precision precision, Ops& ops);

}  // namespace zerocts
