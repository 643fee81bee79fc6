// How far one update may go that gives the learning rate its plain meaning, whatever the formula rounds and wherever:
// the range of one element over the formulas of a kind, without decay and clipping.
//
//   SGD     -lr * g while there is no momentum, and in the first update, with or without dampening and Nesterov's part
//   Adam,   -lr * m / (sqrt(v) + eps) and as NAdam has it, with both corrections of the bias or without, eps inside the
//   AdamW   root, outside or before the corrections, v the newest or the largest so far (AMSGrad)
//   LAMB    any distance, for its trust ratio has no bound: the sign of Adam's. Muon is not judged by elements
//
// Where momentum and all gradients so far have one sign, SGD goes against them, as far as it likes. Half of an update
// is below the range and its sign above or below: what a learning rate means follows from the kind.
#pragma once
#include <cstdint>

#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

/// What (before - after) / lr may be: positive is against a positive gradient.
struct UpdateRange {
  double least, most;
};

/// One element's gradients so far.
class PlainUpdates {
 public:
  /// The range of the next update. `magnitude`: of the addends of the gradient, which may be wrong by `error` of it.
  UpdateRange Next(OptimizerKind kind, const HyperParameters& h, double gradient, double magnitude, double error);

 private:
  UpdateRange NextOfSgd(const HyperParameters& h, double gradient);
  UpdateRange NextOfAdam(const HyperParameters& h, double gradient, double magnitude, double error);

  int64_t updates_ = 0;
  bool positive_ = true, negative_ = true;  // all gradients so far
  double m_ = 0, magnitude_ = 0, v_ = 0, largest_v_ = 0;
};

}  // namespace zerocts
