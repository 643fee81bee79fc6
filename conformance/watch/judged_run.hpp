// A run judged from its records: what is said on the way and at the end, and the log for reports.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/watch/budget.hpp"
#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/observed_run.hpp"
#include "conformance/watch/run_judge.hpp"

namespace zerocts::watch {

struct JudgeSettings {
  /// Tells ranks to look at one step in `every` from step `from` on; none: they look as often as the user said.
  std::function<void(int64_t every, int64_t from)> set_every = {};
  bool strict = false;               // notices are alarms
  std::vector<std::string> allowed;  // names of clauses that are not judged
};

/// Throws UsageError for a name that no live clause has.
void RequireLiveClauses(const std::vector<std::string>& names);

/// An allowance or a list of words of the user is in `settings`; `say` prints a line.
class JudgedRun {
 public:
  JudgedRun(JudgeSettings settings, std::function<void(const std::string&)> say);
  void Take(const Record& record);
  void Finish();

  ObservedRun& run() { return run_; }
  /// Lines: what was watched, what held, what broke, what was not seen.
  std::vector<std::string> Summary() const;
  /// 0, 1 (an alarm), or 6 (nothing was judged).
  int exit_code() const;
  /// results.ndjson for `zerocts report`.
  void WriteLog(const std::string& path, const std::vector<std::string>& argv) const;

 private:
  int64_t Count(Level level) const;
  std::string NothingJudged() const;
  bool IsAllowed(const LiveClause& clause) const;
  std::string WhyNotJudged(const LiveClause& clause) const;
  void SayWhatIsWatched(const Record& record);
  void KeepToBudget(const StepRecord& step);

  JudgeSettings settings_;
  std::function<void(const std::string&)> say_;
  ObservedRun run_;
  RunJudge judge_;
  Budget budget_;
  bool said_ = false;
};

}  // namespace zerocts::watch
