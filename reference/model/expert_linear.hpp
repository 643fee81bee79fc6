// E linear layers of one shape, of which a micro-batch goes through one.
#pragma once
#include <string>
#include <vector>

#include "reference/model/linear.hpp"

namespace zerocts {

class ExpertLinear : public Unit {
 public:
  /// The layer of expert e is named NAME.expertE, with E = e.
  ExpertLinear(const std::string& name, const LinearShape& shape, Precision precision, int experts);

  /// Those of the experts' layers, expert by expert.
  std::vector<UnitParameter> parameters() const override;
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  size_t FirstParameterOf(int expert) const { return static_cast<size_t>(expert) * parameters_of_each_; }

  std::vector<Linear> experts_;
  size_t parameters_of_each_;
};

}  // namespace zerocts
