// Who takes part in the sum of an expert's gradients: the ranks that have the expert.
#pragma once
#include "reference/experiment/experiment.hpp"
#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// The same order, where of each parameter only the micro-batches of ranks that have it are added. The ranges of
/// `order` tile the elements. Throws std::invalid_argument for a range that adds none of them.
ReductionOrder OfPresentRanks(const Experiment& experiment, ReductionOrder order);

}  // namespace zerocts
