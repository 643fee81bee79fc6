// How far a run reached named sets of clauses. The run that writes the records and the report that reads them ask the
// same function.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/report/log/result.hpp"

namespace zerocts {

/// A set of clauses, each to be asked with a feature: as the `run` record holds it.
struct ProfilePlan {
  std::string name, feature;  // "zero-2", "stage2" ("": none)
  std::vector<std::string> clauses;
};
nlohmann::json ToJson(const std::vector<ProfilePlan>& profiles);  // [{name, feature, clauses}]
std::vector<ProfilePlan> ProfilesFromJson(const nlohmann::json& profiles);

/// What a clause came to, and how many of its cases had each feature.
struct ClauseShown {
  Result result = Result::kNotApplicable;
  std::map<std::string, int64_t> features;
};

enum class Reach { kInFull, kSelfReported, kInPart, kNotClaimed };
std::string ToString(Reach reach);  // "in part"

struct ProfileReached {
  std::string name;
  int64_t passed = 0, judged = 0, of = 0;  // clauses
  /// Clauses that would have passed, had their figures been measured independently.
  std::vector<std::string> self_reported = {};

  Reach reach() const;  // self-reported: but for such clauses in full; not claimed: none was judged with the feature
  std::string Text() const;          // "zero-2 in part (5 of 11)", "cost self-reported (C-ZERO-100)"
  std::string NameAndCount() const;  // "zero-2 (5 of 11)", "cost (C-ZERO-100)", "zero-1"
};
nlohmann::json ToJson(const std::vector<ProfileReached>& profiles);  // [{name, reach, passed, of, self_reported}]

/// `shown`: by the ids of clauses. In the order of the profiles.
std::vector<ProfileReached> ProfilesReached(const std::vector<ProfilePlan>& profiles,
                                            const std::map<std::string, ClauseShown>& shown);

/// What was required and is not reached in full, in words.
std::vector<std::string> MissedOf(const std::vector<ProfileReached>& profiles,
                                  const std::vector<std::string>& required);

}  // namespace zerocts
