// What clipping does to the gradients of a step, by the squares that the ranks measured before it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/watch/observed_run.hpp"
#include "conformance/watch/records.hpp"

namespace zerocts::watch {

struct NormOfRank {
  double norm = 0;   // of the gradients that this rank clipped, over all their parts
  double error = 0;  // by which a norm in fp32 may differ, relative
  double coefficient = 1;
};

/// One call of clip_grad_norm_ on all ranks. Nothing: a part that the rank clipped is not known, it is no 2-norm, or a
/// rank did not call.
std::optional<NormOfRank> NormOf(const std::map<int, ClipRecord>& call, int rank, const ObservedRun& run);

}  // namespace zerocts::watch
