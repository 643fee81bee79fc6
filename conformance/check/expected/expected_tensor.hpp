// What the reference holds for one tensor of an observation, and what that tensor is called.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/expected/expected.hpp"

namespace zerocts {

enum class TensorClass { kParameter, kState, kGradient };
/// Nothing for a name that TensorRecord does not know.
std::optional<TensorClass> ClassOf(const std::string& what);

/// "exp_avg of w1", "w1 (second read)".
std::string TensorName(const Experiment& experiment, const std::string& what, int parameter);

class ExpectedTensors {
 public:
  ExpectedTensors(const Experiment& experiment, const Expected& expected);

  /// All elements of the tensor [numel], at `step`; the view lives as long as this object. `what` is one that ClassOf
  /// knows. Empty when the parameter has none (StepTrace).
  std::span<const float> Of(const std::string& what, int64_t step, int parameter) const;
  /// The same tensor before that step; empty when there is none.
  std::span<const float> Before(const std::string& what, int64_t step, int parameter) const;

 private:
  const Expected& expected_;
  std::vector<std::vector<float>> zeros_;  // moments before the first step
};

}  // namespace zerocts
