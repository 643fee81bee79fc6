// Bounds of the losses of a training that goes on, as far as they can be derived.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "conformance/check/bounded/bounded_training.hpp"

namespace zerocts {

/// Those of an MLP are those of BoundedTraining, while they say something; of other trainings the first losses have
/// bounds. In bf16 units compute in fp32, and what each gives is rounded; masters, moments and the update are fp32.
class BoundedLosses {
 public:
  explicit BoundedLosses(const Experiment& experiment);
  ~BoundedLosses();

  /// The bounds of the next step, [W * K]; none: no bound is derived for it.
  std::vector<Bounded> Step();
  /// Why later losses have none; "" while they have.
  const std::string& Beyond() const { return beyond_; }

 private:
  struct Walk;
  const Experiment e_;
  std::string beyond_;
  std::unique_ptr<Walk> walk_;
  int64_t step_ = 0;
};

/// How far `got` is away, in bounds; above 1: too far. NaN is infinitely far.
double ShareOfBound(const Bounded& expected, double got);

}  // namespace zerocts
