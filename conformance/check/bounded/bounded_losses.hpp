// Bounds of the losses of a training that goes on, as far as they can be derived.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/check/bounded/bounded_training.hpp"

namespace zerocts {

/// An MLP's first losses follow from initial values alone, in fp32 and in bf16: units compute in fp32, and bf16 rounds
/// what each gives. Behind updates by SGD in fp32 they are those of BoundedTraining, in the first steps.
class BoundedLosses {
 public:
  explicit BoundedLosses(const Experiment& experiment);
  ~BoundedLosses();

  /// The bounds of the next step, [W * K]; none: no bound is derived for it.
  std::vector<Bounded> Step();
  /// Why later losses have none.
  std::string Beyond() const;

 private:
  struct Walk;
  const Experiment e_;
  std::unique_ptr<Walk> walk_;
  int64_t step_ = 0;
};

/// How far `got` is away, in bounds; above 1: too far. NaN is infinitely far.
double ShareOfBound(const Bounded& expected, double got);

}  // namespace zerocts
