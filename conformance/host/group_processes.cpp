#include "conformance/host/group_processes.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "conformance/host/launcher.hpp"
#include "conformance/host/link.hpp"
#include "conformance/host/process_watch.hpp"

namespace zerocts {

namespace {

constexpr auto kTerminatePatience = std::chrono::seconds(1);  // mpirun cleans up after itself
constexpr auto kKillPatience = std::chrono::seconds(2);

/// Kills a process that is, by now, our child at most by inheritance, and waits until it is gone.
void KillAndAwait(pid_t pid, SteadyTime until) {
  const ProcessWatch watch(pid);
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, WNOHANG) != pid && !watch.Gone() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  waitpid(pid, nullptr, WNOHANG);
}

}  // namespace

GroupProcesses::GroupProcesses(const SubjectSpec& subject, LauncherKind launcher, int world_size, const std::string& folder,
                               const std::string& address) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent comes to us, who can reap it
  const std::string scratch = folder + "/tmp";
  std::filesystem::create_directory(scratch);
  shims_.resize(LauncherOf(launcher).Shims(world_size));
  for (ProcessCommand& command : LauncherOf(launcher).Commands({subject, world_size, folder})) {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"TMPDIR", scratch},
                                      {kConductorVariable, address},
                                      {kConductorPidVariable, std::to_string(getpid())},
                                      {kGroupFolderVariable, folder}}) {
      command.environment.emplace_back(name, value);
    }
    for (const auto& [option, value] : subject.options) {
      if (option == "device") command.environment.emplace_back(kDeviceVariable, value);
    }
    processes_.push_back(std::make_unique<ChildProcess>(command));
  }
}

GroupProcesses::~GroupProcesses() { Kill(); }

bool GroupProcesses::AllStarted() const {
  return std::all_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.started.has_value(); });
}

bool GroupProcesses::AllEnded() const {
  return std::all_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.ended.has_value(); });
}

bool GroupProcesses::AnyEnded() const {
  return std::any_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.ended.has_value(); });
}

std::optional<std::pair<int, std::string>> GroupProcesses::LostProcess() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    const bool one_per_rank = processes_.size() > 1;
    if (const std::optional<int> status = processes_[i]->Ended()) return std::pair(one_per_rank ? static_cast<int>(i) : -1, StatusText(*status));
  }
  return std::nullopt;
}

bool GroupProcesses::AllProcessesEnded(SteadyTime until) {
  return std::all_of(processes_.begin(), processes_.end(), [&](const auto& process) { return process->EndedUntil(until); });
}

void GroupProcesses::End(SteadyTime patience) {
  if (!AllProcessesEnded(patience)) Kill();
  processes_.clear();
  shims_.clear();
}

void GroupProcesses::Kill() {
  for (const Shim& shim : shims_) {
    if (shim.started && !shim.ended) kill(-shim.started->pid, SIGKILL);
  }
  for (const auto& process : processes_) process->SignalGroup(SIGTERM);
  AllProcessesEnded(std::chrono::steady_clock::now() + kTerminatePatience);
  for (const auto& process : processes_) process->SignalGroup(SIGKILL);
  const SteadyTime until = std::chrono::steady_clock::now() + kKillPatience;
  AllProcessesEnded(until);
  for (const Shim& shim : shims_) {
    if (!shim.started) continue;
    KillAndAwait(shim.started->shim_pid, until);
    if (!shim.ended) KillAndAwait(shim.started->pid, until);
  }
}

}  // namespace zerocts
