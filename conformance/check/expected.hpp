// Expected results of a case: the reference, run in the order that the subject declares.
#pragma once
#include <memory>
#include <vector>

#include "conformance/cases/case.hpp"
#include "conformance/cases/observation.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// The declared order as a value, on the case's mesh and with its sync: `owned[rank][parameter]` says which shard's fold
/// an element has (ring); `rank` and `tree` ignore it. "any" gives the rank order for an exact experiment (any order has
/// the same bits) and for a bounded case (any order is within the bound). Throws std::invalid_argument for "any" with
/// inexact sums otherwise.
ReductionOrder OrderOf(const Case& c, const std::vector<std::vector<std::vector<Interval>>>& owned);

struct Expected {
  std::vector<std::vector<float>> initial_parameter;  // compute values
  std::vector<std::vector<float>> initial_master;
  std::vector<StepTrace> steps;
  std::vector<std::string> input_hashes;  // [world_size], see cases/input_hash.hpp
};
Expected ExpectedOf(const Case& c, const ReductionOrder& order);

}  // namespace zerocts
