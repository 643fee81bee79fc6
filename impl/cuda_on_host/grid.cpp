// A launch of a kernel: its blocks in turn. Of a block, threads at the same instruction do it together; where they
// part, those that are behind go on first, so that they meet again where the ways of the kernel do.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "impl/cuda_on_host/kernel.hpp"

namespace zerocts::engine::ptx {
namespace {

/// Threads and the instruction at which they stand.
struct Group {
  int next = 0;
  Lanes lanes;
};

/// What the threads of a launch write to, kept by the stream for its next one: fresh memory would cost more than most
/// launches. What stands in registers there is no more defined than on a GPU.
struct Workspace {
  std::vector<uint64_t> same_for_all, registers;
  std::vector<std::byte> local;
};

/// The groups of a block that go on, none of which stand at the same instruction, and those that have stopped.
class Groups {
 public:
  void Begin(int threads) {
    stopped_.clear();
    going_.clear();
    Group all;
    all.lanes.threads.resize(threads);
    std::iota(all.lanes.threads.begin(), all.lanes.threads.end(), 0);
    going_.push_back(std::move(all));
  }

  bool AnyGoes() const { return !going_.empty(); }

  /// The one that is furthest behind.
  Group TakeLast() {
    Group last = std::move(going_.back());
    going_.pop_back();
    return last;
  }

  /// Where a group that goes on has to wait for others.
  int NextOfOthers(int none) const { return going_.empty() ? none : going_.back().next; }

  void GoOn(Group group) { Join(going_, std::move(group)); }
  void Stop(Group group) { Join(stopped_, std::move(group)); }

  std::span<const Group> stopped() const { return stopped_; }
  void PassBarrier() { std::swap(going_, stopped_); }

 private:
  /// By their instructions, the furthest ahead first.
  static void Join(std::vector<Group>& groups, Group group) {
    const auto found = std::lower_bound(groups.begin(), groups.end(), group.next,
                                        [](const Group& other, int next) { return other.next > next; });
    if (found == groups.end() || found->next != group.next) {
      groups.insert(found, std::move(group));
      return;
    }
    std::vector<int> joined;
    joined.reserve(found->lanes.threads.size() + group.lanes.threads.size());
    std::merge(found->lanes.threads.begin(), found->lanes.threads.end(), group.lanes.threads.begin(),
               group.lanes.threads.end(), std::back_inserter(joined));
    found->lanes.threads = std::move(joined);
  }

  std::vector<Group> going_, stopped_;
};

class Blocks {
 public:
  Blocks(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
         int threads, Workspace& workspace)
      : kernel_(kernel),
        threads_(threads),
        shared_(kernel.shared_bytes),
        memory_{parameters, shared_, global, kernel.local_bytes} {
    workspace.same_for_all = kernel.same_for_all;
    workspace.same_for_all[kThreads] = static_cast<uint64_t>(threads);
    workspace.same_for_all[kBlocks] = static_cast<uint64_t>(blocks);
    const size_t registers = static_cast<size_t>(kernel.registers) * threads;
    if (workspace.registers.size() < registers) workspace.registers.resize(registers);
    std::iota(workspace.registers.begin(), workspace.registers.begin() + threads, uint64_t{0});
    workspace.local.assign(threads * kernel.local_bytes, std::byte{0});
    state_ = {.threads = threads,
              .same_for_all = workspace.same_for_all.data(),
              .registers = workspace.registers.data(),
              .local = workspace.local.data(),
              .memory = &memory_};
  }

  void Run(int64_t block) {
    shared_.BeginBlock();
    state_.same_for_all[kBlock] = static_cast<uint64_t>(block);
    groups_.Begin(threads_);
    while (true) {
      while (groups_.AnyGoes()) Advance(groups_.TakeLast(), block);
      RequireThatAllMeet(block);
      if (KindBefore(groups_.stopped()[0]) == Instruction::Kind::kReturn) return;
      shared_.PassBarrier();
      groups_.PassBarrier();
    }
  }

 private:
  using Kind = Instruction::Kind;

  const Instruction& Before(const Group& group) const { return kernel_.instructions[group.next - 1]; }
  Kind KindBefore(const Group& group) const { return Before(group).kind; }

  /// Until it stops, parts, or is no longer behind all others.
  void Advance(Group group, int64_t block) {
    const int others = groups_.NextOfOthers(static_cast<int>(kernel_.instructions.size()));
    while (group.next < others) {
      const Instruction& instruction = kernel_.instructions[group.next++];
      switch (instruction.kind) {
        case Kind::kStep: Step(instruction, group.lanes, block); break;
        case Kind::kBranch:
          if (!instruction.is_guarded) {
            group.next = instruction.target;
          } else if (Group rest = TakeBranch(instruction, group); !rest.lanes.threads.empty()) {
            groups_.GoOn(std::move(rest));
            groups_.GoOn(std::move(group));
            return;
          }
          break;
        case Kind::kBarrier:
        case Kind::kReturn: groups_.Stop(std::move(group)); return;
      }
    }
    groups_.GoOn(std::move(group));
  }

  void Step(const Instruction& instruction, const Lanes& lanes, int64_t block) {
    try {
      instruction.step(instruction, lanes, state_);
    } catch (const Fault& fault) {
      throw Fault(fmt::format("kernel {}, block {}, thread {}, line {} of the PTX: {}", kernel_.name, block,
                              state_.thread, instruction.line, fault.what()));
    }
  }

  /// Threads of which some branch are divided: those that do not are returned.
  Group TakeBranch(const Instruction& instruction, Group& group) const {
    const uint64_t* predicates = state_.registers + static_cast<ptrdiff_t>(instruction.guard.slot) * threads_;
    const auto branches = [&](int thread) { return ((predicates[thread] & 1) != 0) == instruction.guard_value; };
    std::vector<int>& threads = group.lanes.threads;
    const auto taken = std::count_if(threads.begin(), threads.end(), branches);
    Group rest{.next = group.next, .lanes = {}};
    if (taken == 0) return rest;
    group.next = instruction.target;
    if (taken == std::ssize(threads)) return rest;
    rest.lanes.threads.reserve(threads.size() - taken);
    std::erase_if(threads, [&](int thread) {
      if (branches(thread)) return false;
      rest.lanes.threads.push_back(thread);
      return true;
    });
    return rest;
  }

  /// At one barrier, or at ends.
  void RequireThatAllMeet(int64_t block) const {
    const std::span<const Group> groups = groups_.stopped();
    const auto of_thread_0 =
        std::find_if(groups.begin(), groups.end(), [](const Group& group) { return group.lanes.threads.front() == 0; });
    const bool at_end = KindBefore(*of_thread_0) == Kind::kReturn;
    const Group* apart = nullptr;
    for (const Group& group : groups) {
      if (&group == &*of_thread_0 || (at_end && KindBefore(group) == Kind::kReturn)) continue;
      if (!apart || group.lanes.threads.front() < apart->lanes.threads.front()) apart = &group;
    }
    if (!apart) return;
    throw Fault(
        fmt::format("kernel {}, block {}: thread 0 stops at line {} of the PTX and thread {} at line {}: expected the "
                    "same barrier",
                    kernel_.name, block, Before(*of_thread_0).line, apart->lanes.threads.front(), Before(*apart).line));
  }

  const Kernel& kernel_;
  const int threads_;
  SharedMemory shared_;
  const BlockMemory memory_;
  BlockState state_{};
  Groups groups_;
};

}  // namespace

void RunGrid(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
             int threads, const std::function<bool()>& goes_on) {
  static thread_local Workspace workspace;
  Blocks all(kernel, parameters, global, blocks, threads, workspace);
  for (int64_t block = 0; block < blocks && goes_on(); ++block) all.Run(block);
}

}  // namespace zerocts::engine::ptx
