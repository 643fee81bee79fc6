// The clauses of a run by family: few rows for people, where the table of all clauses is long.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

struct FamilyView {
  std::string name;                        // "other clauses" where the log does not say
  std::vector<const ClauseView*> clauses;  // of the view, ascending by id
  std::map<int, Result> cells;             // the worst at each world size
  Result result = Result::kNotApplicable;  // the worst of its clauses

  int64_t judged() const;  // clauses that were applicable
  int64_t cases() const;
};

/// In the order of their first clauses. They point into the view.
std::vector<FamilyView> FamiliesOf(const RunView& view);

std::set<int> WorldSizesOf(const RunView& view);

/// The worst of the clause's configurations at each world size, over launchers and precisions.
std::map<int, Result> CellsOf(const ClauseView& clause);

}  // namespace zerocts
