// The same training on one rank: what W ranks of a subject are compared with under self parity.
#pragma once
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// The same global batches on one rank: micro-batch g = rank * K + k of all ranks is its g-th of W * K.
Case OnOneRank(const Case& c);

/// Are the sums of the one rank those of all? Of exact inputs in any order. Else where both add the same numbers in the
/// same order: `rank` with one micro-batch a rank, `tree` with 1, 2, 4, .. of them, without replicas and with one sync.
bool AddsAsOnOneRank(const Case& c);

}  // namespace zerocts
