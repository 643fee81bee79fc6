#include <fmt/format.h>

#include <list>

#include "conformance/host/group.hpp"

namespace zerocts {

struct GroupPool::State {
  struct Kept {
    LauncherKind launcher;
    std::unique_ptr<Group> group;
    int Processes() const { return launcher == LauncherKind::kThreads ? 1 : group->world_size(); }
  };

  int Processes() const {
    int processes = 0;
    for (const Kept& kept : groups) processes += kept.Processes();
    return processes;
  }

  SubjectSpec subject;
  HostSettings settings;
  int max_processes;
  std::list<Kept> groups;  // the last used one first
};

GroupPool::GroupPool(SubjectSpec subject, HostSettings settings, int max_processes)
    : state_(new State{std::move(subject), std::move(settings), max_processes, {}}) {}

GroupPool::~GroupPool() = default;

Group& GroupPool::Acquire(LauncherKind launcher, int world_size) {
  std::list<State::Kept>& groups = state_->groups;
  const int needed = launcher == LauncherKind::kThreads ? 1 : world_size;
  if (world_size < 1 || needed > state_->max_processes) {
    throw UsageError(fmt::format("launcher {}: expected 1 to {} ranks, got {}", ToString(launcher), state_->max_processes, world_size));
  }
  groups.remove_if([](const State::Kept& kept) { return kept.group->spent(); });
  for (auto kept = groups.begin(); kept != groups.end(); ++kept) {
    if (kept->launcher != launcher || kept->group->world_size() != world_size) continue;
    groups.splice(groups.begin(), groups, kept);
    return *groups.front().group;
  }
  while (!groups.empty() && state_->Processes() + needed > state_->max_processes) groups.pop_back();
  groups.push_front({launcher, Group::Start(state_->subject, launcher, world_size, state_->settings)});
  return *groups.front().group;
}

void GroupPool::StopAll() { state_->groups.clear(); }

}  // namespace zerocts
