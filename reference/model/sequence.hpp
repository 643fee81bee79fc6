// Units one after the other, as one unit.
#pragma once
#include <algorithm>
#include <iterator>
#include <memory>

#include "reference/model/unit.hpp"

namespace zerocts {

class Sequence : public Unit {
 public:
  void Append(std::unique_ptr<Unit> unit) {
    const size_t first = parameters_.size();
    std::ranges::move(unit->parameters(), std::back_inserter(parameters_));
    links_.push_back({std::move(unit), first});
  }

  /// Those of its units, in order.
  std::vector<UnitParameter> parameters() const override { return parameters_; }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    for (const Link& link : links_) in = link.unit->Forward(ops, batch, parameters + link.first_parameter, in);
    return in;
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
      const size_t p = link->first_parameter;
      upstream = link->unit->Backward(ops, batch, parameters + p, gradients + p, upstream);
    }
    return upstream;
  }

 private:
  struct Link {
    std::unique_ptr<Unit> unit;
    size_t first_parameter;
  };
  std::vector<Link> links_;
  std::vector<UnitParameter> parameters_;  // asked of each unit once: units stand in units, and each asks its own
};

/// Sequence of units made in place: SequenceOf(std::make_unique<A>(..), std::make_unique<B>(..)).
template <typename... Made>
std::unique_ptr<Sequence> SequenceOf(Made... units) {
  auto sequence = std::make_unique<Sequence>();
  (sequence->Append(std::move(units)), ...);
  return sequence;
}

}  // namespace zerocts
