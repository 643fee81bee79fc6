// What every element moved by, decoded: an exact gradient shows in the parameter itself under plain SGD, under AdamW
// and Adam in the first moment.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Every parameter on every rank after every step: each element must have moved by lr times its own mean gradient of
/// that step. What it did instead is said in words: stood still, k times its code, the code of another element or of
/// the step before, a micro-batch lost or counted twice. Expects no momentum of SGD, no weight decay, no clipping, and
/// an exact source. Under AdamW and Adam what the first moments show must be that gradient, where they are reported.
///
/// Of the moments m before and n after a step follows g = (n - beta m) / (1 - beta). Every formula rounds n and, in
/// fp32, what it adds: products, 1 - beta, g - m in a lerp. With u = 2^-24 that is no more than u (|n| + 2 |m| + 4 (1 -
/// beta) |g|), where (1 - beta) |g| is |n - beta m| but for the same error: less than 8 u (|m| + |n|). So g is off by
/// less than 2^-21 (|m| + |n|) / (1 - beta), which is large beside g only where the moments nearly cancel. Of subnormal
/// numbers each of at most 8 roundings is by 2^-150 or less, whatever the number is: 2^-147 / (1 - beta) more.
std::optional<Finding> CheckMoves(const Case& c, const std::vector<RankObservation>& ranks);

/// For `how` of a clause that calls it.
inline constexpr const char* kMovesWithoutSgd =
    " Where a run has no SGD, AdamW or Adam take its place, with an epsilon as large as gradients, which shows "
    "their scale. The first moments m before and n after a step show the gradient as (n - beta m) / (1 - beta), which "
    "rounding of the moments moves by less than (2^-21 (|m| + |n|) + 2^-147) / (1 - beta).";

}  // namespace zerocts
