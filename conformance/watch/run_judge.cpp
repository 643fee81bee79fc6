#include "conformance/watch/run_judge.hpp"

#include <algorithm>

namespace zerocts::watch {

RunJudge::RunJudge(ObservedRun& run, bool strict, const std::vector<std::string>& allowed) : run_(run) {
  for (const LiveClause& clause : AllLiveClauses()) {
    if (std::ranges::count(allowed, clause.name) || std::ranges::count(allowed, clause.id)) continue;
    judges_.push_back(clause.judge({run, clause.id, strict ? Level::kAlarm : clause.level}));
  }
}

void RunJudge::Take(const Record& record) {
  run_.Take(record);
  for (const auto& judge : judges_) std::visit([&](const auto& r) { judge->Take(r); }, record);
}

void RunJudge::Finish() {
  for (const auto& judge : judges_) judge->Finish(run_.ended_in_order() && !run_.is_uneven());
}

}  // namespace zerocts::watch
