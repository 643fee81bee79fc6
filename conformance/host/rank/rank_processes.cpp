#include "conformance/host/rank/rank_processes.hpp"

#include <unistd.h>

#include <map>
#include <string>

#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/process_state.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {
namespace {

std::multimap<pid_t, pid_t> ChildrenByParent() {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : ProcessesInProc()) {
    if (const std::optional<ProcessStat> stat = StatOf(pid)) children.emplace(stat->parent, pid);
  }
  return children;
}

bool ParentIsShim() {
  const char* shim = VariableOrNull(kShimVariable);
  return shim && shim == std::to_string(getppid());
}

}  // namespace

std::vector<pid_t> RankProcesses() {
  const std::multimap<pid_t, pid_t> children = ChildrenByParent();
  const bool has_shim = ParentIsShim();
  std::vector<pid_t> found = {getpid()};
  if (has_shim) found.insert(found.begin(), getppid());
  for (size_t next = 0; next < found.size(); ++next) {
    const auto [begin, end] = children.equal_range(found[next]);
    for (auto child = begin; child != end; ++child) {
      if (child->second != getpid()) found.push_back(child->second);
    }
  }
  if (has_shim) found.erase(found.begin());
  return found;
}

}  // namespace zerocts
