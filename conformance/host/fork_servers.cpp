#include "conformance/host/fork_servers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "conformance/host/frameworks.hpp"
#include "conformance/host/link.hpp"
#include "conformance/host/python_program.hpp"
#include "conformance/host/shim.hpp"

namespace zerocts {

namespace {

/// Ranks of one server have the seed of Python's string hashes in common, and with it the order in which they visit a set. With two servers a subject
/// whose ranks must agree on such an order still fails.
constexpr int kServers = 2;
constexpr auto kPause = std::chrono::milliseconds(5);

}  // namespace

SubjectSpec ForkServers::Serving(const SubjectSpec& subject) {
  if (subject.framework.empty() || !subject.choice.device.empty()) return subject;
  for (int server = 0; server < kServers; ++server) {
    sockets_.push_back(fmt::format("{}/fork{}", settings_.session_dir, server));
    const std::string& socket = sockets_.back();
    servers_.push_back(std::make_unique<ChildProcess>(ProcessCommand{
        {"/bin/sh", "-c", subject.command},
        {{kForkServerVariable, socket}, {kConductorPidVariable, std::to_string(getpid())}, {kAllocatorVariable, kWithoutThreadCache}, {"TMPDIR", settings_.session_dir}},
        socket + ".log"}));
  }
  SubjectSpec served = subject;
  if (!AwaitSockets()) {
    servers_.clear();
    return served;
  }
  std::vector<std::string> client = {subject.python, "-I", "-S", (AdaptersFolder() / "zerocts_rank/fork_client.py").string()};
  client.insert(client.end(), sockets_.begin(), sockets_.end());
  served.command = CommandOf(client);
  return served;
}

bool ForkServers::AwaitSockets() {
  const SteadyTime until = std::chrono::steady_clock::now() + settings_.start_deadline;
  const auto up = [](const std::string& socket) { return std::filesystem::exists(socket); };
  while (!std::ranges::all_of(sockets_, up)) {
    if (std::chrono::steady_clock::now() > until) return false;
    if (std::ranges::any_of(servers_, [](const auto& server) { return server->Ended().has_value(); })) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace zerocts
