#include "reference/model/expert_linear.hpp"

namespace zerocts {

ExpertLinear::ExpertLinear(const std::string& name, const LinearShape& shape, Precision precision, int experts) {
  for (int e = 0; e < experts; ++e) experts_.emplace_back(name + ".expert" + std::to_string(e), shape, precision);
  parameters_of_each_ = experts_.front().parameters().size();
}

std::vector<UnitParameter> ExpertLinear::parameters() const {
  std::vector<UnitParameter> all;
  for (size_t e = 0; e < experts_.size(); ++e) {
    for (UnitParameter& parameter : experts_[e].parameters()) {
      parameter.expert = static_cast<int>(e);
      all.push_back(std::move(parameter));
    }
  }
  return all;
}

float* ExpertLinear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  return experts_[batch.expert].Forward(ops, batch, parameters + FirstParameterOf(batch.expert), in);
}

float* ExpertLinear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters,
                              float* const* gradients, float* upstream) {
  const size_t first = FirstParameterOf(batch.expert);
  return experts_[batch.expert].Backward(ops, batch, parameters + first, gradients + first, upstream);
}

}  // namespace zerocts
