#include "conformance/host/system/descendant_process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/host/system/process_state.hpp"

namespace zerocts {

namespace {

constexpr pid_t kInit = 1;

/// The numbers in /proc are those of our PID namespace.
bool ProcIsOurs() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self", error) == std::to_string(getpid());
}

/// The parent was the same before it was held and after, and the child existed all the time: so it is this one that is
/// held.
std::optional<HeldProcess> ParentOf(const HeldProcess& child) {
  const std::optional<ProcessStat> before = StatOf(child.pid());
  if (!before || before->parent <= 0) return std::nullopt;
  HeldProcess parent(before->parent);
  const std::optional<ProcessStat> after = StatOf(child.pid());
  if (!after || after->parent != parent.pid() || !child.Exists()) return std::nullopt;
  return parent;
}

/// None but the kernel is asked, where /proc would be read process by process.
bool HasChildren() {
  siginfo_t end{};
  return waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

}  // namespace

std::vector<pid_t> ProcessesInProc() {
  std::vector<pid_t> pids;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (const pid_t pid = std::atoi(entry.path().filename().c_str()); pid > kInit) pids.push_back(pid);
  }
  return pids;
}

std::optional<DescendantProcess> DescendantProcess::Prove(int64_t pid) {
  if (pid <= kInit || !std::in_range<pid_t>(pid) || pid == getpid() || !ProcIsOurs()) return std::nullopt;
  HeldProcess process(static_cast<pid_t>(pid));
  if (!process.Exists()) return std::nullopt;
  std::optional<HeldProcess> ancestor = ParentOf(process);
  while (ancestor && ancestor->pid() != getpid()) ancestor = ParentOf(*ancestor);
  if (!ancestor) return std::nullopt;
  return DescendantProcess(std::move(process));
}

void DescendantProcess::Reap() const {
  siginfo_t end{};
  waitid(P_PIDFD, static_cast<id_t>(process_.descriptor()), &end, WEXITED | WNOHANG);
}

std::vector<DescendantProcess> KillDescendants(const std::function<bool(pid_t)>& doomed, SteadyTime until) {
  std::vector<DescendantProcess> killed;
  const auto is_killed = [&](pid_t pid) {
    return std::ranges::any_of(killed, [&](const DescendantProcess& k) { return k.pid() == pid && !k.Gone(); });
  };
  size_t before;
  do {  // whom one of them started meanwhile is found the next time
    before = killed.size();
    for (const pid_t pid : ProcessesInProc()) {
      if (!doomed(pid) || is_killed(pid)) continue;
      std::optional<DescendantProcess> process = DescendantProcess::Prove(pid);
      if (!process || process->Gone()) continue;
      process->Kill();
      killed.push_back(std::move(*process));
    }
  } while (killed.size() != before && std::chrono::steady_clock::now() < until);
  return killed;
}

std::vector<pid_t> ChildrenOfThis() {
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> children;
  for (pid_t pid; list >> pid;) children.push_back(pid);
  return children;
}

void KillChildren(const std::set<pid_t>& kept, SteadyTime until) {
  while (std::chrono::steady_clock::now() < until) {
    std::vector<pid_t> doomed = ChildrenOfThis();
    std::erase_if(doomed, [&](pid_t pid) { return kept.contains(pid); });
    if (kept.empty() ? !HasChildren() : doomed.empty()) return;
    for (const pid_t pid : doomed) {
      if (const auto own = DescendantProcess::Prove(pid)) own->Kill();
    }
    for (const pid_t pid : doomed) waitpid(pid, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace zerocts
