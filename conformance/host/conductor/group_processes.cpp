#include "conformance/host/conductor/group_processes.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/process_state.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {

namespace {

constexpr auto kTerminatePatience = std::chrono::seconds(1);  // mpirun cleans up after itself
constexpr auto kKillPatience = std::chrono::seconds(2);

/// Waits for the end of a process that is, by now, our child at most by inheritance.
void AwaitEnd(const DescendantProcess& process, SteadyTime until) {
  while (!process.Gone() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  process.Reap();
}

void KillAndAwait(const std::optional<DescendantProcess>& process, SteadyTime until) {
  if (!process) return;
  process->Kill();
  AwaitEnd(*process, until);
}

}  // namespace

GroupProcesses::GroupProcesses(const SubjectSpec& subject, LauncherKind launcher, int world_size,
                               const std::string& folder,
                               const std::vector<std::pair<std::string, std::string>>& variables)
    : folder_(folder) {
  RequireLauncher(launcher);
  RequireMatch(launcher, subject);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent comes to us, who can reap it
  const std::string scratch = folder + "/tmp";
  std::filesystem::create_directory(scratch);
  shims_.resize(LauncherOf(launcher).Shims(world_size));
  for (ProcessCommand& command : LauncherOf(launcher).Commands({subject, world_size, folder})) {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"TMPDIR", scratch},
                                      {kConductorPidVariable, std::to_string(getpid())},
                                      {kGroupFolderVariable, folder}}) {
      command.environment.emplace_back(name, value);
    }
    command.environment.insert(command.environment.end(), variables.begin(), variables.end());
    for (const auto& [option, value] : subject.options) {
      if (option == "device") command.environment.emplace_back(kDeviceVariable, value);
    }
    processes_.push_back(std::make_unique<ChildProcess>(command));
  }
}

GroupProcesses::~GroupProcesses() { Kill(); }

void GroupProcesses::Started(const StartedMessage& message) {
  Shim& shim = shims_.at(message.rank);
  shim.started = true;
  shim.process = DescendantProcess::Prove(message.shim_pid);
  shim.command = DescendantProcess::Prove(message.pid);
}

bool GroupProcesses::AllStarted() const {
  return std::all_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.started; });
}

bool GroupProcesses::AllEnded() const {
  return std::all_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.ended; });
}

bool GroupProcesses::AnyEnded() const {
  return std::any_of(shims_.begin(), shims_.end(), [](const Shim& shim) { return shim.ended; });
}

pid_t GroupProcesses::PidOf(int rank) const {
  const Shim& shim = ShimOf(rank);
  return shim.command ? shim.command->pid() : processes_.at(processes_.size() == 1 ? 0 : rank)->pid();
}

std::string GroupProcesses::StateOf(int rank) const {
  const pid_t pid = PidOf(rank);
  const std::string state = ProcessStateText(pid);
  const char* whose = ShimOf(rank).command ? "its process {}" : "process {}, which starts it,";
  return fmt::format("{} {}", fmt::format(fmt::runtime(whose), pid), state.empty() ? "is at work" : "stands " + state);
}

bool GroupProcesses::Lost::ExitedByItself() const { return WIFEXITED(status); }

std::optional<GroupProcesses::Lost> GroupProcesses::LostProcess() const {
  for (size_t i = 0; i < processes_.size(); ++i) {
    const bool one_per_rank = processes_.size() > 1;
    if (const std::optional<int> status = processes_[i]->Ended())
      return Lost{one_per_rank ? static_cast<int>(i) : -1, *status};
  }
  return std::nullopt;
}

bool GroupProcesses::AllProcessesEnded(SteadyTime until) {
  return std::all_of(processes_.begin(), processes_.end(),
                     [&](const auto& process) { return process->EndedUntil(until); });
}

void GroupProcesses::End(SteadyTime patience) {
  if (!AllProcessesEnded(patience)) Kill();
  processes_.clear();
  shims_.clear();
}

/// Each command leads a process group.
bool GroupProcesses::IsOfACommand(pid_t pid) const {
  const std::optional<ProcessStat> stat = StatOf(pid);
  return stat && std::ranges::any_of(shims_, [&](const Shim& shim) {
           return shim.command && !shim.ended && shim.command->pid() == stat->group;
         });
}

void GroupProcesses::Kill() {
  KillDescendants([this](pid_t pid) { return IsOfACommand(pid); }, std::chrono::steady_clock::now() + kKillPatience);
  for (const auto& process : processes_) process->SignalGroup(SIGTERM);
  AllProcessesEnded(std::chrono::steady_clock::now() + kTerminatePatience);
  for (const auto& process : processes_) process->SignalGroup(SIGKILL);
  const SteadyTime until = std::chrono::steady_clock::now() + kKillPatience;
  AllProcessesEnded(until);
  const std::string mark = "TMPDIR=" + folder_ + "/";  // also of those that never said that they started
  for (const DescendantProcess& left : KillDescendants([&](pid_t pid) { return EnvironmentHas(pid, mark); }, until))
    AwaitEnd(left, until);
  for (const Shim& shim : shims_) {
    KillAndAwait(shim.process, until);
    if (!shim.ended) KillAndAwait(shim.command, until);
  }
}

}  // namespace zerocts
