// How much a log holds. The writer of a run announces it in run_end; a reader counts again, so that nothing is lost
// unseen.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/report/log/result.hpp"

namespace zerocts {

struct RunCounts {
  int64_t clauses = 0;  // that ended
  int64_t cases = 0;
  int64_t notes = 0;
  std::map<Result, int64_t> groups, configurations,
      failures;  // by what they came to; groups are counted that did not start or end well

  /// A record more; one that is not counted changes nothing.
  void Add(const nlohmann::json& record);
};

nlohmann::json ToJson(const RunCounts& counts);

/// Throws a json exception when this is no RunCounts.
RunCounts RunCountsFromJson(const nlohmann::json& counts);

/// "18 configurations announced, 12 there": the first that differs; "" when all are equal.
std::string Difference(const RunCounts& announced, const RunCounts& there);

/// What a failure record proves about its configuration: its ending, where an observed run with a finding is a fail.
Result ResultOfFailure(const nlohmann::json& failure);

}  // namespace zerocts
