#include "conformance/check/expected/expected_tensor.hpp"

#include <stdexcept>

namespace zerocts {

std::optional<TensorClass> ClassOf(const std::string& what) {
  if (IsAfterResume(what)) {
    const std::string saved = WithoutResume(what);
    const bool is_saved = saved == "parameter" || ClassOf(saved) == TensorClass::kState;
    return is_saved ? ClassOf(saved) : std::nullopt;
  }
  if (what == "parameter" || what == "parameter_again" || what == "parameter_before_step") {
    return TensorClass::kParameter;
  }
  if (what == "master" || what == "momentum" || what == "exp_avg" || what == "exp_avg_sq") return TensorClass::kState;
  if (what == "gradient") return TensorClass::kGradient;
  return std::nullopt;
}

std::string TensorName(const Experiment& experiment, const std::string& what, int parameter) {
  if (IsAfterResume(what)) return TensorName(experiment, WithoutResume(what), parameter) + " (after resume)";
  const std::string& name = experiment.parameters.at(static_cast<size_t>(parameter)).name;
  if (what == "parameter") return name;
  if (what == "parameter_again") return name + " (second read)";
  if (what == "parameter_before_step") return name + " (read before the step)";
  return what + " of " + name;
}

ExpectedTensors::ExpectedTensors(const Experiment& experiment, const Expected& expected) : expected_(expected) {
  for (const ParameterSpec& parameter : experiment.parameters) {
    zeros_.emplace_back(static_cast<size_t>(parameter.numel()));
  }
}

std::span<const float> ExpectedTensors::Of(const std::string& what, int64_t step, int parameter) const {
  if (IsAfterResume(what)) return Of(WithoutResume(what), step, parameter);
  const auto p = static_cast<size_t>(parameter);
  if (what == "parameter_before_step") return Of("parameter", step - 1, parameter);
  const bool is_parameter = ClassOf(what) == TensorClass::kParameter;
  if (step < 0) {
    if (is_parameter) return expected_.initial_parameter[p];
    return what == "master" ? expected_.initial_master[p] : zeros_[p];
  }
  const StepTrace& trace = expected_.steps[static_cast<size_t>(step)];
  if (is_parameter) return trace.parameter[p];
  if (what == "master") return trace.master[p];
  if (what == "momentum" || what == "exp_avg") return trace.moment1[p];
  if (what == "exp_avg_sq") return trace.moment2.at(p);
  if (what == "gradient") return trace.gradient[p];
  throw std::logic_error("no tensor is called " + what);
}

std::span<const float> ExpectedTensors::Before(const std::string& what, int64_t step, int parameter) const {
  const int64_t first = ClassOf(what) == TensorClass::kGradient ? 1 : 0;  // before the first step there is no gradient
  return step >= first ? Of(what, step - 1, parameter) : std::span<const float>();
}

}  // namespace zerocts
