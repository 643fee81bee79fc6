#include "conformance/cli/check/tiers.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

Tier TierFromString(const std::string& name) {
  if (name == "smoke") return Tier::kSmoke;
  if (name == "default") return Tier::kDefault;
  if (name == "full") return Tier::kFull;
  throw UsageError(fmt::format("--tier: expected smoke, default or full, got '{}'", name));
}

int CasesOfTier(Tier tier) {
  switch (tier) {
    case Tier::kSmoke: return 8;
    case Tier::kDefault: return 100;
    case Tier::kFull: return 2000;
  }
  throw std::invalid_argument("Tier out of range");
}

/// Frameworks remember what they did with a shape. Small tensors have few, so that the ranks of a smoke test meet most
/// of them again.
int LargestSizeOfTier(Tier tier) { return tier == Tier::kSmoke ? 0 : 100; }

}  // namespace zerocts
