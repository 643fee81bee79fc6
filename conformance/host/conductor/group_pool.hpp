// Groups kept over cases.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

class RankGroup;

/// Groups are started when first needed, replaced when spent, capped by the number of processes. Several threads may
/// ask.
class GroupPool {
 public:
  /// A group that nobody else has for as long as this lives.
  class Lease {
   public:
    Lease(Lease&&) noexcept;
    ~Lease();
    RankGroup* operator->() const;

   private:
    friend class GroupPool;
    struct Held;
    explicit Lease(std::unique_ptr<Held> held);
    std::unique_ptr<Held> held_;
  };

  GroupPool(SubjectSpec subject, HostSettings settings, int max_processes = 64);
  ~GroupPool();
  /// Waits while other threads have all the processes there may be. `for_memory`: a group of its own, which ends with
  /// the lease, for a case that observes memory: what another one left is not its subject's.
  Lease Acquire(LauncherKind launcher, int world_size, bool for_memory = false);
  /// On a group of the case's world size; a case whose checkpoint others load is run on both groups, one after the
  /// other, and ends as the first of them that does not end with observations. Ranks that do not start end the case as
  /// they end.
  RunResult Run(LauncherKind launcher, const Case& c);
  /// Stops the groups; no case is running. What crashed or hung then, or when a group had to make room before.
  std::vector<GroupEnd> Stop();
  /// What the ranks of all groups that ever started said of themselves.
  std::set<GroupNote> Notes() const;

 private:
  RunResult RunOnGroups(LauncherKind launcher, const Case& c);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zerocts
