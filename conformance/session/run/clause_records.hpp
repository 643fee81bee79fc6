// What a clause leaves in the log beside its failures.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/contract/clause.hpp"
#include "conformance/report/log/result.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {

nlohmann::json ClauseStartRecord(const Clause& clause);

nlohmann::json ConfigurationRecord(const Clause& clause, const Configuration& configuration,
                                   const ConfigurationOutcome& outcome, double seconds);

struct ClauseEnd {
  std::vector<Result> configurations;  // as their records say
  int64_t cases = 0;
  std::vector<MinimumCount> coverage_minimums = {};
  std::vector<std::string> needs = {};
  Asked asked = {};
  double seconds = 0;
};
/// Its result follows from the configurations and from the coverage minimums that were missed.
nlohmann::json ClauseEndRecord(const Clause& clause, const ClauseEnd& end);

}  // namespace zerocts
