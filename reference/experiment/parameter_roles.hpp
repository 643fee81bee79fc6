// What is special about single parameters: frozen, without gradient, tied, a buffer, of another precision.
// Parameters are meant by their index in the experiment.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/model/model.hpp"

namespace zerocts {

/// Steps [begin, end) of one parameter.
struct StepSpan {
  int parameter = 0;
  int64_t begin = 0, end = 0;
  friend bool operator==(const StepSpan&, const StepSpan&) = default;
};

/// Micro-batch `g` of step `step` has no gradient for `parameter`.
struct MissingGradient {
  int parameter = 0;
  int64_t step = 0, g = 0;
  friend bool operator==(const MissingGradient&, const MissingGradient&) = default;
};

/// `parameter` is another name of the storage of `owner`.
struct TiedParameter {
  int parameter = 0, owner = 0;
  friend bool operator==(const TiedParameter&, const TiedParameter&) = default;
};

struct ParameterPrecision {
  int parameter = 0;
  Precision precision = Precision::kFp32;
  friend bool operator==(const ParameterPrecision&, const ParameterPrecision&) = default;
};

/// A parameter that does not take part in a step is skipped by the optimizer: no decay, no moments, no count of steps.
/// That is another thing than a gradient of zero.
struct ParameterRoles {
  /// Gets no gradient in these steps, whatever the model computes.
  std::vector<StepSpan> frozen;
  /// The loss does not depend on it in these steps. Of tied names the others still count.
  std::vector<StepSpan> without_gradient;
  /// Single micro-batches on which the loss does not depend on it; they count as zero in the mean. Where all of a
  /// step's are missing that is `without_gradient`.
  std::vector<MissingGradient> missing;
  /// One storage, two names: the gradient of a micro-batch is the owner's plus each other name's, in the order of the
  /// parameters, rounded to the owner's precision after each addition. The optimizer knows only the owner.
  std::vector<TiedParameter> tied;
  /// In the model's list, with initial values, never updated: no gradient, no state.
  std::vector<int> buffers;
  /// Where the precision is not the experiment's: the parameter is rounded to it, and each micro-batch's gradient.
  std::vector<ParameterPrecision> precisions;

  bool IsBuffer(int parameter) const;
  int OwnerOf(int parameter) const;  // itself unless it is tied
  bool IsFrozen(int parameter, int64_t step) const;
  /// Does the loss of step `step` depend on what this name stands for, on all micro-batches but the missing ones?
  bool GivesGradient(int parameter, int64_t step) const;
  /// Does its loss on micro-batch `g`?
  bool GivesGradient(int parameter, int64_t step, int64_t g) const;
  /// Has it master weights and moments of its own?
  bool HasState(int parameter) const;
  /// Does the optimizer update it in this step of `micro_batches` (W * K)?
  bool IsUpdated(int parameter, int64_t step, int64_t micro_batches) const;
  Precision PrecisionOf(int parameter, Precision usual) const;

  friend bool operator==(const ParameterRoles&, const ParameterRoles&) = default;
};

}  // namespace zerocts
