// How much `--tier` asks for.
#pragma once
#include <string>

#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

/// smoke, default or full. Throws UsageError.
Tier TierFromString(const std::string& name);

/// Cases of a clause.
int CasesOfTier(Tier tier);

int LargestSizeOfTier(Tier tier);

}  // namespace zerocts
