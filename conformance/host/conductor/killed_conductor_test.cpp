// A conductor that is killed while its ranks hang. Part of the endings test, whose main is also that conductor.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/host/wire/rank_output.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(Conductor, NothingOutlivesIt) {
  const SessionFolder folder;
  const std::string output = folder.path() + "/conductor.log";
  ChildProcess conductor({{OwnProgram(), "conductor"}, {}, output});
  const auto until = std::chrono::steady_clock::now() + 60s;
  std::string session;
  while ((session = OutputTail(output)).empty() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(fs::exists(session)) << session;
  EXPECT_GE(ProcessesOf(session).size(), 6u);  // three ranks and their shims
  kill(conductor.pid(), SIGKILL);
  while ((fs::exists(session) || !ProcessesOf(session).empty()) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(fs::exists(session));
  EXPECT_EQ(ProcessesOf(session), std::vector<pid_t>());
}

}  // namespace

int RunHangingCase() {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  const auto group = std::make_unique<RankGroup>(Faulty("hang"), LauncherKind::kLocal, kWorldSize, settings);
  std::puts(folder.path().c_str());
  std::fflush(stdout);
  group->Run(TinyCase());
  return 0;
}

}  // namespace zerocts
