// What a run did not judge, and why: lists that have each thing once, with the clauses that it concerns.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

struct NotReached {
  using List = std::map<std::string, std::set<std::string>>;  // what: ids of clauses

  List not_run;         // the run ended before
  List not_enough;      // was asked, but not by enough cases: never green
  List self_reported;   // passed, by self-reported figures
  List not_measured;    // of what passed: nobody could see this part
  List left_out;        // by which options: with others they would be judged
  List not_applicable;  // the subject says that it cannot
  List not_seen;        // the run that was watched had nothing of it
  List missing;         // the clause was not judged, for it is missing in the subject or this run
  List partly_missing;  // it was judged, but without what is missing in the subject or this run
  List not_asked;       // the suite has no words for it yet

  struct Named {
    const char* heading;
    const List* list;
  };
  std::vector<Named> lists() const;  // those that hold something, in this order
};

NotReached NotReachedBy(const RunView& view);

/// "C-ZERO-001, C-ZERO-007", or how many where they are more than three.
std::string FewClauses(const std::set<std::string>& ids);

}  // namespace zerocts
