// Random cases of a space, for RapidCheck.
#pragma once
#include <rapidcheck.h>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/cases/whole/case_json.hpp"

namespace zerocts {

/// Draws depend on RapidCheck's seed and size alone; a counterexample shrinks by Shrink() inside the space. Expects
/// Missing() == "".
rc::Gen<Case> CasesOf(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities);

}  // namespace zerocts
