#include "reference/model/sequence.hpp"

#include <algorithm>
#include <iterator>

namespace zerocts {

void Sequence::Append(std::unique_ptr<Unit> unit) {
  const size_t first = parameters_.size();
  std::ranges::move(unit->parameters(), std::back_inserter(parameters_));
  links_.push_back({std::move(unit), first});
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
