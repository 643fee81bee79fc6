// All live clauses over the records of one run.
#pragma once
#include <memory>
#include <vector>

#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/observed_run.hpp"

namespace zerocts::watch {

class RunJudge {
 public:
  /// `strict`: notices are alarms. `allowed`: names of clauses that are not judged.
  RunJudge(ObservedRun& run, bool strict, const std::vector<std::string>& allowed);
  void Take(const Record& record);
  void Finish();

 private:
  ObservedRun& run_;
  std::vector<std::unique_ptr<LiveJudge>> judges_;
};

}  // namespace zerocts::watch
