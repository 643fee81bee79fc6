// One run of the suite: subject, launchers, world sizes, seed, budget, and the ranks and the log that all clauses
// share.
#pragma once
#include <memory>
#include <vector>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

class Session {
 public:
  /// No runner: cases run on groups of ranks from a pool. Throws UsageError when out_dir cannot be written.
  explicit Session(SessionSettings settings, Runner runner = {});
  ~Session();  // ends every rank
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionSettings& settings() const;

  /// Ends the ranks, and tells which groups crashed or hung after their last case.
  std::vector<GroupEnd> StopGroups();

  /// Stops the groups, and writes run_end with the verdict that a reader of the log comes to.
  void Finish();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace zerocts
