// Expected results of a case: the reference, run in the order that the subject declares.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// Do sums show the order of addition, which a run on probe data has yet to reveal?
bool NeedsProbe(const Case& c);

/// The declared order as a value, on the case's mesh and with its sync: `owned[rank][parameter]` says which shard's
/// fold an element has (ring); `rank` and `tree` ignore it. "any" gives the rank order for an exact experiment (any
/// order has the same bits) and for a bounded case (any order is within the bound). Throws std::invalid_argument for
/// "any" and "probed" with inexact sums otherwise.
ReductionOrder OrderOf(const Case& c, const std::vector<std::vector<std::vector<Interval>>>& owned);

struct Expected {
  std::vector<std::vector<float>> initial_parameter;  // compute values
  std::vector<std::vector<float>> initial_master;
  std::vector<StepTrace> steps;
  std::vector<std::string> input_hashes;  // [world_size], see cases/inputs/input_hash.hpp
};
/// `orders`: of the steps, the last one of all that follow.
Expected ExpectedOf(const Case& c, std::span<const ReductionOrder> orders);
Expected ExpectedOf(const Case& c, const ReductionOrder& order);

}  // namespace zerocts
