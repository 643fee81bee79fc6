// The loss of one micro-batch as a subject sees it, where it is quadratic: takes the values of parameters that forward
// and backward compute with, and fills in the gradients.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/rank/case_inputs.hpp"

namespace zerocts {

class QuadraticLoss {
 public:
  /// The loss of the micro-batch that `inputs` give now; `c` and `inputs` outlive it. `broke` takes what the subject
  /// did against the rules.
  using Broke = std::function<void(const std::string& what)>;
  QuadraticLoss(const Case& c, CaseInputs& inputs, Broke broke);

  /// What accumulate is given; lives as long as this.
  const zerocts_loss* table() const { return &table_; }

  /// After accumulate: which gradients the subject has not asked for is a breach.
  void EndMicroBatch();

 private:
  enum class Pass { kForward, kBackward };
  struct Parameter {
    std::optional<std::vector<float>> forward;  // values that forward had
    bool backward_done = false;
  };

  void Take(Pass pass, uint32_t parameter, const void* values);
  /// "" or why the call breaks the rules.
  std::string Wrong(Pass pass, uint32_t parameter, const void* values) const;
  std::vector<float> Widened(uint32_t parameter, const void* values) const;

  const Experiment& experiment_;
  CaseInputs& inputs_;
  const Broke broke_;
  std::vector<Parameter> parameters_;
  zerocts_loss table_;
};

}  // namespace zerocts
