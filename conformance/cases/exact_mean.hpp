// Means that ranks which multiply what they add by a rounded 1 / W, as NCCL's AVG does, have exactly too.
#pragma once
#include "conformance/cases/case.hpp"

namespace zerocts {

/// Is 1 / W rounded? Of a power of two it is not.
bool IsRoundedReciprocal(int world_size);

/// Of a case with exact inputs: does no rounded 1 / W show? One addend alone is multiplied so that its exact mean comes
/// out; of several, which cancel each other, what was rounded of 1 / W stays. True of every other case.
bool HasExactMean(const Case& c);

}  // namespace zerocts
