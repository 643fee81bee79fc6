// A subject that takes away its process's files is to blame for what its worker cannot open, and harms no rank that it
// should not. Part of the endings test, whose main is also the worker.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <variant>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/conductor/group_socket.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/host/wire/protocol.hpp"
#include "conformance/host/wire/rank_page.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

/// A worker with two ranks as threads, and the process that tells them what to do, one message at a time.
class TwoThreads {
 public:
  TwoThreads(const SubjectSpec& subject, std::string folder)
      : folder_(std::move(folder)),
        options_(subject.options),
        socket_("ipc://" + folder_ + "/s", 2, 0),
        worker_({{OwnProgram(), "worker", "--plugin", subject.plugin, "--threads", "2"}, Environment(), "/dev/null"}) {}

  void Welcome(int rank) {
    const std::string page = folder_ + "/page" + std::to_string(rank);
    socket_.Send({Peer::Role::kRank, rank}, Encode(WelcomeMessage{page, options_}));
  }
  void Run(int rank, const Case& c) {
    socket_.Send({Peer::Role::kRank, rank}, Encode(RunMessage{1, 5000, ToJson(c).dump(), std::nullopt, ""}));
  }
  /// "observed" and the like; of a failure of the worker its sentence.
  std::string NextAnswer() {
    const auto message = socket_.Receive(std::chrono::steady_clock::now() + 60s);
    if (!message) return "nothing";
    const RankMessage said = DecodeFromRank(message->frames());
    if (std::holds_alternative<HelloMessage>(said)) return "hello";
    if (std::holds_alternative<ObservedMessage>(said)) return "observed";
    if (const auto* failed = std::get_if<FailedMessage>(&said)) return failed->sentence;
    return "another message";
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> Environment() const {
    std::vector<std::pair<std::string, std::optional<std::string>>> variables = {
        {kConductorPidVariable, std::to_string(getpid())}, {"ZEROCTS_RANK", "0"}, {"ZEROCTS_WORLD_SIZE", "2"}};
    for (const auto& [name, value] : socket_.Variables()) variables.emplace_back(name, value);
    return variables;
  }

  const std::string folder_;
  const std::vector<std::pair<std::string, std::string>> options_;
  GroupSocket socket_;
  ChildProcess worker_;
};

TEST(TakenFiles, DoNotKeepAnotherRankOfTheProcessFromItsPage) {
  const SessionFolder folder;
  SubjectSpec subject = Faulty("no_files");
  subject.options.emplace_back("rank", "0");
  TwoThreads ranks(subject, folder.path());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(ranks.NextAnswer(), "hello");
  ranks.Welcome(0);
  ranks.Run(0, TinyCase(2));
  std::this_thread::sleep_for(300ms);  // in which rank 0 takes the files, if it may
  ranks.Welcome(1);
  ranks.Run(1, TinyCase(2));
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(ranks.NextAnswer(), "observed");
}

TEST(TakenFiles, AreABreachWhereTheWorkerNeedsOne) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  SubjectSpec subject = ResolveSubject("plugin:" + kPlugins + "/told.so");
  subject.options = {{"told", "takes_files"}};
  Case c = TinyCase(1);
  c.observe_parameters = c.observe_states = false;
  c.checkpoint = {
      .after_step = 0, .how = CheckpointUse::kResume, .damage = FileDamage{.what = Damage::kCut, .file = 0}};
  RankGroup group(subject, LauncherKind::kLocal, 1, settings);
  const RunResult result = group.Run(c);
  EXPECT_EQ(ToString(result.ending), ToString(Ending::kBreach)) << result.message;
  EXPECT_TRUE(result.message.starts_with("rank 0 lowered the limit of open files from ")) << result.message;
  EXPECT_NE(result.message.find(" to 3 and so took from the worker what it needs"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
