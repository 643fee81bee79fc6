#include "conformance/host/rank/quadratic_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/numerics/bf16.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

QuadraticLoss::QuadraticLoss(const Case& c, CaseInputs& inputs, Broke broke)
    : experiment_(c.experiment),
      inputs_(inputs),
      broke_(std::move(broke)),
      parameters_(c.experiment.parameters.size()) {
  table_ = {
      .struct_size = sizeof(zerocts_loss),
      .context = this,
      .forward = [](void* self, uint32_t parameter,
                    const void* values) { static_cast<QuadraticLoss*>(self)->Take(Pass::kForward, parameter, values); },
      .backward =
          [](void* self, uint32_t parameter, const void* values) {
            static_cast<QuadraticLoss*>(self)->Take(Pass::kBackward, parameter, values);
          }};
}

void QuadraticLoss::Take(Pass pass, uint32_t parameter, const void* values) {
  if (const std::string wrong = Wrong(pass, parameter, values); !wrong.empty()) return broke_(wrong);
  Parameter& of = parameters_[parameter];
  if (pass == Pass::kForward) {
    of.forward = Widened(parameter, values);
    return;
  }
  inputs_.CurveGradient(static_cast<int>(parameter), *of.forward, Widened(parameter, values));
  of.backward_done = true;
}

std::string QuadraticLoss::Wrong(Pass pass, uint32_t parameter, const void* values) const {
  const char* const name = pass == Pass::kForward ? "forward" : "backward";
  if (parameter >= parameters_.size()) {
    return fmt::format("called {} of the loss for parameter {} of {}", name, parameter, parameters_.size());
  }
  const auto call = [&](const char* what) {
    return fmt::format("called {} of the loss {} parameter {}", name, what, parameter);
  };
  if (!inputs_.gradients()[parameter]) return call("for no gradient of");
  if (!values && experiment_.parameters[parameter].numel() > 0) return call("without values of");
  const Parameter& of = parameters_[parameter];
  if (pass == Pass::kForward) return of.forward ? call("twice for") : "";
  if (!of.forward) return call("before forward for");
  return of.backward_done ? call("twice for") : "";
}

std::vector<float> QuadraticLoss::Widened(uint32_t parameter, const void* values) const {
  const auto numel = static_cast<size_t>(experiment_.parameters[parameter].numel());
  std::vector<float> wide(numel);
  if (PrecisionOf(experiment_, static_cast<int>(parameter)) == Precision::kBf16) {
    HostOps().CastToFloat(wide.data(), static_cast<const Bf16*>(values), std::ssize(wide));
  } else {
    std::copy_n(static_cast<const float*>(values), numel, wide.begin());
  }
  return wide;
}

void QuadraticLoss::EndMicroBatch() {
  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (!inputs_.gradients()[p] || parameters_[p].backward_done) continue;
    broke_(fmt::format("did not ask the loss for the gradient of parameter {}", p));
  }
}

}  // namespace zerocts
