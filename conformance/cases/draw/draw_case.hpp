// One random case, before it is known to be valid.
#pragma once
#include <optional>

#include "conformance/cases/draw/case_space.hpp"
#include "conformance/cases/draw/draws.hpp"

namespace zerocts {

/// What the space, the place and the subject allow in common.
struct Allowed {
  std::vector<int> stages;
  std::vector<OptimizerKind> optimizers;
  std::vector<std::string> plans;  // empty: the subject's own
  std::vector<GradientSource> gradients;
  std::vector<std::string> reduction_orders;  // with defined bits
  std::vector<GradientSync> gradient_sync;
  int min_replicas = 1;
  bool whole_layers = true;  // are there cases without tensor ranks?
};
Allowed AllowedOf(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities);

/// Those of `sizes` that the subject offers.
std::vector<int> OfferedWorldSizes(std::vector<int> sizes, const Capabilities& capabilities);

/// On how many ranks a checkpoint of this place can be loaded, but for as many as saved it.
std::vector<int> OtherWorldSizes(const CasePlace& place, const Capabilities& capabilities);

/// A case of the space; nothing when what was drawn did not fit together kDrawTries times. `size` from 0 to 100.
/// Expects that nothing in Allowed that a case needs is empty.
inline constexpr int kDrawTries = 500;
std::optional<Case> DrawFittingCase(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities,
                                    int size, Draws& draws);

}  // namespace zerocts
