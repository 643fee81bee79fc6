// What FSDP's names for a stage and a mesh (reference/plan/value/strategy.hpp) hold a run to.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/aims/aims.hpp"

namespace zerocts {

struct RunTerms;

std::vector<std::string> StrategyNames();

/// Those whose stage and mesh the run can have.
std::vector<std::string> OfferedStrategies(const RunTerms& terms);

/// Its stage and its mesh.
std::vector<Hold> HoldsOfStrategy(const std::string& name, const RunTerms& terms);

}  // namespace zerocts
