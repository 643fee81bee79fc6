// Mistakes that an experiment can tell of: what a subject computes that makes one, as an experiment of its own.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// The reference makes it when it trains `experiment` and adds in `order`.
struct Mistake {
  std::string text;
  Experiment experiment;
  ReductionOrder order;
};

/// With hyper-parameters of another group, of another step or the defaults; with another optimizer's formula; without
/// clipping, clipped twice, or by another norm. Only those that change the experiment. `clipped_by`: the coefficient of
/// each step.
std::vector<Mistake> MistakesOfSettings(const Experiment& experiment, const ReductionOrder& order,
                                        const std::vector<float>& clipped_by);

/// Gradients of ranks or micro-batches that are lost, alone, unreduced, not divided, or rounded on the way.
std::vector<Mistake> MistakesOfSums(const Case& c, const std::vector<RankObservation>& ranks,
                                    const ReductionOrder& order);

}  // namespace zerocts
