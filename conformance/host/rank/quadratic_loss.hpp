// The loss of one micro-batch as a subject sees it, where it is quadratic: takes the values of parameters that forward
// and backward compute with, and fills in the gradients.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/rank/case_inputs.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

class QuadraticLoss {
 public:
  /// The loss of the micro-batch that `inputs` give now; `c` and `inputs` outlive it. `broke` takes what the subject
  /// did against the rules.
  using Broke = std::function<void(const std::string& what)>;
  QuadraticLoss(const Case& c, CaseInputs& inputs, Broke broke)
      : experiment_(c.experiment),
        inputs_(inputs),
        broke_(std::move(broke)),
        parameters_(c.experiment.parameters.size()) {
    table_ = {.struct_size = sizeof(zerocts_loss),
              .context = this,
              .forward =
                  [](void* self, uint32_t parameter, const void* values) {
                    static_cast<QuadraticLoss*>(self)->Take(Pass::kForward, parameter, values);
                  },
              .backward =
                  [](void* self, uint32_t parameter, const void* values) {
                    static_cast<QuadraticLoss*>(self)->Take(Pass::kBackward, parameter, values);
                  }};
  }

  /// What accumulate is given; lives as long as this.
  const zerocts_loss* table() const { return &table_; }

  /// After accumulate: which gradients the subject has not asked for is a breach.
  void EndMicroBatch() {
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (!inputs_.gradients()[p] || parameters_[p].backward_done) continue;
      broke_(fmt::format("did not ask the loss for the gradient of parameter {}", p));
    }
  }

 private:
  enum class Pass { kForward, kBackward };
  struct Parameter {
    std::optional<std::vector<float>> forward;  // values that forward had
    bool backward_done = false;
  };

  void Take(Pass pass, uint32_t parameter, const void* values) {
    if (const std::string wrong = Wrong(pass, parameter, values); !wrong.empty()) return broke_(wrong);
    Parameter& of = parameters_[parameter];
    if (pass == Pass::kForward) {
      of.forward = Widened(parameter, values);
      return;
    }
    inputs_.CurveGradient(static_cast<int>(parameter), *of.forward, Widened(parameter, values));
    of.backward_done = true;
  }
  /// "" or why the call breaks the rules.
  std::string Wrong(Pass pass, uint32_t parameter, const void* values) const {
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
  std::vector<float> Widened(uint32_t parameter, const void* values) const {
    const auto numel = static_cast<size_t>(experiment_.parameters[parameter].numel());
    std::vector<float> wide(numel);
    if (PrecisionOf(experiment_, static_cast<int>(parameter)) == Precision::kBf16) {
      HostOps().CastToFloat(wide.data(), static_cast<const Bf16*>(values), std::ssize(wide));
    } else {
      std::copy_n(static_cast<const float*>(values), numel, wide.begin());
    }
    return wide;
  }

  const Experiment& experiment_;
  CaseInputs& inputs_;
  const Broke broke_;
  std::vector<Parameter> parameters_;
  zerocts_loss table_;
};

}  // namespace zerocts
