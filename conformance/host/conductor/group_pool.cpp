#include "conformance/host/conductor/group_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/host/conductor/checkpoint_folder.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

struct GroupPool::State {
  struct Kept {
    LauncherKind launcher;
    int world_size;
    bool for_memory;
    std::unique_ptr<RankGroup> group = {};  // none: it is about to start
    bool leased = true;

    int Processes() const { return LauncherOf(launcher).RankProcesses(world_size); }
    bool IsFree(LauncherKind wanted_launcher, int wanted_size) const {
      return !leased && launcher == wanted_launcher && world_size == wanted_size;
    }
  };

  using Entry = std::list<Kept>::iterator;

  int Processes() const {
    int processes = 0;
    for (const Kept& kept : groups) processes += kept.Processes();
    return processes;
  }

  /// Ends groups that nobody has, the one used longest ago first, until there is room. False: others have too many.
  bool MakeRoom(int needed) {
    for (Entry last = groups.end(); Processes() + needed > max_processes;) {
      do {
        if (last == groups.begin()) return false;
      } while ((--last)->leased);
      Stop(*last);
      last = groups.erase(last);
    }
    return true;
  }

  void Stop(Kept& kept) { NoteEnd(kept, kept.group->Stop()); }

  void NoteEnd(const Kept& kept, RunResult result) {
    if (result.ending != Ending::kObserved) bad_ends.push_back({kept.launcher, kept.world_size, std::move(result)});
  }

  /// Waits for its end while other threads have the other groups.
  void StopAlone(Kept& kept) {
    try {
      RunResult result = kept.group->Stop();
      const std::lock_guard lock(mutex);
      NoteEnd(kept, std::move(result));
    } catch (const std::exception&) {  // an interrupt, which the next case hears of; the group ends its processes
    }
  }

  /// Nobody waits twice for ranks that hang in their start.
  std::unique_ptr<RankGroup> Start(LauncherKind launcher, int world_size) {
    const auto key = std::pair(launcher, world_size);
    {
      const std::lock_guard lock(mutex);
      if (const auto hung = hung_starts.find(key); hung != hung_starts.end()) throw StartEnded(hung->second);
    }
    try {
      auto group = std::make_unique<RankGroup>(subject, launcher, world_size, settings);
      const std::lock_guard lock(mutex);
      for (GroupNote& note : group->Notes()) notes.insert(std::move(note));
      return group;
    } catch (const StartEnded& ended) {
      const std::lock_guard lock(mutex);
      if (ended.end.result.ending == Ending::kHang) hung_starts.emplace(key, ended);
      throw;
    }
  }

  void GiveBack(Entry entry) {
    if (entry->for_memory && entry->group) StopAlone(*entry);
    {
      const std::lock_guard lock(mutex);
      entry->leased = false;
      if (!entry->group || entry->for_memory || entry->group->spent()) groups.erase(entry);
    }
    given_back.notify_all();
  }

  SubjectSpec subject;
  HostSettings settings;
  int max_processes;
  std::list<Kept> groups = {};          // the last used one first
  std::vector<GroupEnd> bad_ends = {};  // of groups that are gone
  std::set<GroupNote> notes = {};       // as above, and of those that are there
  std::map<std::pair<LauncherKind, int>, StartEnded> hung_starts = {};
  std::mutex mutex = {};
  std::condition_variable given_back = {};
};

struct GroupPool::Lease::Held {
  State& state;
  State::Entry entry;
};

GroupPool::Lease::Lease(std::unique_ptr<Held> held) : held_(std::move(held)) {}
GroupPool::Lease::Lease(Lease&&) noexcept = default;
GroupPool::Lease::~Lease() {
  if (held_) held_->state.GiveBack(held_->entry);
}
RankGroup* GroupPool::Lease::operator->() const { return held_->entry->group.get(); }

GroupPool::GroupPool(SubjectSpec subject, HostSettings settings, int max_processes)
    : state_(new State{std::move(subject), std::move(settings), max_processes}) {}

GroupPool::~GroupPool() = default;

GroupPool::Lease GroupPool::Acquire(LauncherKind launcher, int world_size, bool for_memory) {
  State& state = *state_;
  const int needed = State::Kept{launcher, world_size, for_memory}.Processes();
  if (world_size < 1 || needed > state.max_processes) {
    throw UsageError(fmt::format("launcher {}: expected 1 to {} ranks, got {}", ToString(launcher), state.max_processes,
                                 world_size));
  }
  std::unique_lock lock(state.mutex);
  State::Entry entry = state.groups.end();
  const auto found = [&] {
    entry = std::find_if(state.groups.begin(), state.groups.end(),
                         [&](const State::Kept& kept) { return !for_memory && kept.IsFree(launcher, world_size); });
    return entry != state.groups.end() || state.MakeRoom(needed);
  };
  state.given_back.wait(lock, found);
  if (entry == state.groups.end()) {
    state.groups.push_front({launcher, world_size, for_memory});
  } else {
    entry->leased = true;
    state.groups.splice(state.groups.begin(), state.groups, entry);
  }
  entry = state.groups.begin();
  lock.unlock();
  Lease lease(std::unique_ptr<Lease::Held>(new Lease::Held{state, entry}));
  if (!entry->group) entry->group = state.Start(launcher, world_size);
  return lease;
}

std::vector<GroupEnd> GroupPool::Stop() {
  const std::lock_guard lock(state_->mutex);
  for (const State::Kept& kept : state_->groups) kept.group->TellToStop();
  for (State::Kept& kept : state_->groups) state_->Stop(kept);
  state_->groups.clear();
  return std::exchange(state_->bad_ends, {});
}

std::set<GroupNote> GroupPool::Notes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->notes;
}

RunResult GroupPool::Run(LauncherKind launcher, const Case& c) {
  try {
    return RunOnGroups(launcher, c);
  } catch (const StartEnded& ended) {
    return ended.end.result;
  }
}

RunResult GroupPool::RunOnGroups(LauncherKind launcher, const Case& c) {
  if (!IsResharded(c)) return Acquire(launcher, c.world_size(), c.observe_memory)->Run(c);
  const CheckpointFolder folder(state_->settings.session_dir);
  RunResult result = Acquire(launcher, c.world_size())->Run(SavingRun(c), folder.path());
  if (result.ending != Ending::kObserved) return result;
  const Case loading = LoadingRun(c);
  RunResult loaded = Acquire(launcher, loading.world_size())->Run(loading, folder.path());
  if (loaded.ending != Ending::kObserved) loaded.message = LoadedBy(c) + loaded.message;
  loaded.loading_ranks = std::exchange(loaded.ranks, std::move(result.ranks));
  return loaded;
}

}  // namespace zerocts
