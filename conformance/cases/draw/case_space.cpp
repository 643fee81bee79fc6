#include "conformance/cases/draw/case_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/cases/aims/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {

CaseSpace SpaceFor(CaseSpace space, const Capabilities& capabilities) {
  if (space.or_bounded.empty() || !capabilities.inexact_models) return space;
  space.fidelity = Fidelity::kBounded;
  space.optimizers = space.or_bounded;
  return space;
}

Fidelity FidelityOf(const CaseSpace& space, const Experiment& experiment) {
  if (space.fidelity != Fidelity::kBitwise) return space.fidelity;
  return IsExact(experiment) ? Fidelity::kExactInputs : Fidelity::kDeclaredOrder;
}

std::string Problem(const CaseSpace& space) {
  std::vector<std::string> on_request;
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.on_request) on_request.push_back(dimension.name);
  }
  for (const std::string& name : space.vary) {
    if (Contains(on_request, name)) continue;
    return fmt::format("vary: expected dimensions that are drawn on request ({}), got '{}'",
                       fmt::join(on_request, ", "), name);
  }
  return "";
}

}  // namespace zerocts
