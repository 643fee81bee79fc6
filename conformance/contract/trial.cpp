#include "conformance/contract/trial.hpp"

#include <utility>

namespace zerocts {

RunResult Trial::Run(const Case& c) {
  RunResult result = RunOnRanks(c);
  reports_ = result.reports;
  if (result.ending != Ending::kObserved) throw RunEnded(std::move(result));
  return result;
}

}  // namespace zerocts
