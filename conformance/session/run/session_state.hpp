// The inside of the session, shared by the files that run clauses.
#pragma once
#include <chrono>
#include <optional>
#include <set>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/session/coverage/pairs.hpp"
#include "conformance/session/run/expectations_book.hpp"
#include "conformance/session/run/progress.hpp"
#include "conformance/session/run/session.hpp"
#include "conformance/session/run/stops.hpp"

namespace zerocts {

using Clock = std::chrono::steady_clock;

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Session::State {
  State(SessionSettings settings, Runner runner);

  SessionSettings settings;
  Runner run;
  std::optional<GroupPool> pool;  // absent with a runner of one's own
  EventLog log;
  Progress progress;
  Stops stops;
  ExpectationsBook expectations;
  Clock::time_point start = Clock::now();
  size_t begun_clauses = 0;
  std::optional<Clock::time_point> clause_end;  // none: no time budget
  Pairs pairs;                                  // that cases had
  int64_t met_pairs = 0, possible_pairs = 0;    // of values, summed over clauses

  /// The notes of the rank that was asked first, and of all ranks since.
  std::set<GroupNote> Notes() const;
  /// The clause that begins may take an equal share of what is left of the time budget.
  void BeginClause();
  /// Why no more cases run; "": they do.
  std::string WhyEnded() const {
    return clause_end && Clock::now() >= *clause_end ? "the time budget was spent" : stops.Why();
  }
};

}  // namespace zerocts
