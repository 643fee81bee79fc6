// Which mistake explains all that a run showed? The reference trains with each (mistakes.hpp). Part of no verdict.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// Not those of a case that is too large, trains a model, or is loaded by other ranks: what follows is empty of them.
bool MistakesCanBeTried(const Case& c);

/// Names each mistake with which the reference gives all that was shown to the last places; where none does, of each
/// with which it is far nearer wherever the right one is not.
std::vector<std::string> CausesOf(const Case& c, const std::vector<RankObservation>& ranks);

/// "p1, p3 are wrong; right are p0, p2" in the first step in which one is; "" where all are or there is but one.
std::string WrongAndRight(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
