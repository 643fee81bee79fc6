// Random cases of a space: whether there are any, and one of them.
#pragma once
#include <optional>
#include <string>

#include "conformance/cases/draws/drawing.hpp"

namespace zerocts {

/// "" or what is wrong with `vary`: "expected dimensions that are drawn on request (mesh, ..), got 'mehs'".
std::string Problem(const CaseSpace& space);

/// Can the subject do anything of this space under these conditions at all? "" or "needs: accumulation" and the like.
std::string Missing(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities);

Allowed AllowedOf(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities);

/// A case of the space; nothing when what was drawn did not fit together kDrawTries times. `size` from 0 to 100.
/// Expects that nothing in Allowed that a case needs is empty.
inline constexpr int kDrawTries = 500;
std::optional<Case> DrawFittingCase(const CaseSpace& space, const CaseConditions& conditions,
                                    const Capabilities& capabilities, int size, Draws& draws);

}  // namespace zerocts
