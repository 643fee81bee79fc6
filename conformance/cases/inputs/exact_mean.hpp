// Means that are exact also where ranks multiply what they add by a rounded 1 / W, as NCCL's AVG does.
#pragma once
#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Is 1 / W no rounded number? That of a power of two.
bool DividesExactly(int world_size);

/// Is a mean over so many ranks exact where it is a small integer and no two addends have opposite signs? So it is
/// where W * float(1 / W) is 1 up to 2^-25: of every power of two and of 3, 5, 6, 9, ..; not of 7, 13, 14, 15, ..
bool KeepsIntegerMeans(int world_size);

/// False of a case with exact inputs whose mean comes out rounded for such ranks: KeepsIntegerMeans does not hold, or
/// two names of one tensor, each with a sign of its own, cancel each other, or an expert divides by its own ranks.
bool HasExactMean(const Case& c);
/// Whether the mean of this case is rounded for this subject: then it has no bits by which it could be judged.
bool RoundsTheMean(const Capabilities& can, const Case& c);

}  // namespace zerocts
