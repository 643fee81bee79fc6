// Every way of adding and dividing that an order probe looks for.
#pragma once
#include <vector>

#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// Ranks are added, over a sharding group and then over replicas, in any binary tree up to four of them, else in a
/// chain from any rank on, up or down, or in the balanced tree. What they add is divided by W as a sum or one by one,
/// by quotient or by reciprocal, in every reduction; in a chain over one sharding group addends may be multiplied by
/// the reciprocal as they are added, as NCCL's AVG does. A rank's K micro-batches are added in the order k = 0, 1, ..
/// Two of the folds may have the same bits whatever is added.
std::vector<Fold> CandidateFolds(const FoldShape& shape);

}  // namespace zerocts
