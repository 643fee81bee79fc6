// Simpler cases of a case. Every candidate is smaller in one thing and larger in none, so shrinking ends.
#pragma once
#include <vector>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// One step of shrinking, best first: fewer ranks (never below `min_world_size`), fewer steps, fewer parameters, fewer
/// micro-batches, the plain arrangement, no checkpoint or an earlier one, no roles, no loss scaling, sums in fp32,
/// halved shapes, simpler optimizer, no clipping, no hyper-parameter changes, one group, plain reads. Those in which W,
/// K and T (and R and S) differ, where they are not 1, come before the others. Each result is a valid case.
std::vector<Case> Shrink(const Case& c, int min_world_size = 1);

}  // namespace zerocts
