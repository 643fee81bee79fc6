#include "conformance/host/conductor/fork_servers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/wait_notice.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/core_waits.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/process_state.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {

namespace {

/// Ranks of one server have the seed of Python's string hashes in common, and with it the order in which they visit a
/// set. With two servers a subject whose ranks must agree on such an order still fails.
constexpr int kServers = 2;
constexpr auto kPause = std::chrono::milliseconds(5);

std::string OutputOf(const std::string& socket) { return socket + ".log"; }

}  // namespace

SubjectSpec ForkServers::Serving(const SubjectSpec& subject) {
  if (subject.framework.empty() || !subject.choice.device.empty()) return subject;
  for (int server = 0; server < kServers; ++server) {
    sockets_.push_back(fmt::format("{}/fork{}", settings_.session_dir, server));
    const std::string& socket = sockets_.back();
    servers_.push_back(std::make_unique<ChildProcess>(ProcessCommand{{"/bin/sh", "-c", subject.command},
                                                                     {{kForkServerVariable, socket},
                                                                      {kConductorPidVariable, std::to_string(getpid())},
                                                                      {kAllocatorVariable, kWithoutThreadCache},
                                                                      {"TMPDIR", settings_.session_dir}},
                                                                     OutputOf(socket)}));
  }
  SubjectSpec served = subject;
  if (!AwaitSockets()) {
    servers_.clear();
    return served;
  }
  std::vector<std::string> client = {subject.python, "-I", "-S",
                                     (AdaptersFolder() / "zerocts_rank/fork_client.py").string()};
  client.insert(client.end(), sockets_.begin(), sockets_.end());
  served.command = CommandOf(client);
  return served;
}

bool ForkServers::AwaitSockets() {
  std::set<pid_t> processes;
  for (const auto& server : servers_) processes.insert(server->pid());
  CoreWaits core_waits;
  RunnableClock clock([&] { return core_waits.LongestOf(processes); });
  const Deadline deadline = clock.After(settings_.start_deadline);
  WaitNotice notice(clock, deadline, settings_.notice_every);
  const auto up = [](const std::string& socket) { return std::filesystem::exists(socket); };
  const auto lost = [&](size_t server) {
    return servers_[server]->Ended().has_value() || FileBytes(OutputOf(sockets_[server])) > kMostOutputBytes;
  };
  while (!std::ranges::all_of(sockets_, up)) {
    for (size_t server = 0; server < servers_.size(); ++server) {
      if (lost(server)) return false;
    }
    notice.Tick([&] {
      return WaitedFor{"the processes that import the framework, from which ranks are forked", States()};
    });
    if (clock.Passed(deadline.at)) ThrowHang(clock.Stretch(deadline));
    ThrowIfInterrupted();
    const SteadyTime due = std::chrono::steady_clock::now() + kPause;
    std::this_thread::sleep_until(due);
    clock.Woke(due);
  }
  return true;
}

std::string ForkServers::States() const {
  std::vector<std::string> states;
  for (const auto& server : servers_) {
    const std::string state = ProcessStateText(server->pid());
    states.push_back(fmt::format("{} {}", server->pid(), state.empty() ? "is at work" : "stands " + state));
  }
  return fmt::format("{}", fmt::join(states, ", "));
}

void ForkServers::ThrowHang(const std::string& stretch) const {
  RunResult result{.ending = Ending::kHang};
  result.message = fmt::format(
      "the processes that import the framework, from which ranks are forked, did not come up within {:g} s: {}{}",
      settings_.start_deadline.count() / 1000.0, States(), stretch);
  throw StartEnded({.result = std::move(result)}, OutputTail(OutputOf(sockets_.front())));
}

}  // namespace zerocts
