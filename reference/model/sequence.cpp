#include "reference/model/sequence.hpp"

namespace zerocts {

void Sequence::Append(std::unique_ptr<Unit> unit) {
  const size_t first = parameter_count_;
  parameter_count_ += unit->parameters().size();
  links_.push_back({std::move(unit), first});
}

std::vector<UnitParameter> Sequence::parameters() const {
  std::vector<UnitParameter> all;
  for (const Link& link : links_) {
    for (UnitParameter& parameter : link.unit->parameters()) all.push_back(std::move(parameter));
  }
  return all;
}

float* Sequence::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  for (const Link& link : links_) in = link.unit->Forward(ops, batch, parameters + link.first_parameter, in);
  return in;
}

float* Sequence::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                          float* upstream) {
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    const size_t p = link->first_parameter;
    upstream = link->unit->Backward(ops, batch, parameters + p, gradients + p, upstream);
  }
  return upstream;
}

}  // namespace zerocts
