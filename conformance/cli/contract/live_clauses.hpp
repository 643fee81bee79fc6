// Live clauses, those of `zerocts watch`, in the lists and pages of clauses.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/watch/live_clause.hpp"

namespace zerocts {

inline constexpr const char* kLiveFamily = "live";

/// Takes what names them out of the words; gives all where there were no words. Upper and lower case are the same.
std::vector<watch::LiveClause> TakeLive(std::vector<std::string>& words);

void AddAsJson(const std::vector<watch::LiveClause>& clauses, nlohmann::json& list);
std::string LiveRows(const std::vector<watch::LiveClause>& clauses);     // as `zerocts list` prints clauses
std::string LiveSection(const std::vector<watch::LiveClause>& clauses);  // of the page in Markdown

}  // namespace zerocts
