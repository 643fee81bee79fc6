// What a subject says of itself; and each subject, launcher or size of a group that cannot be has its sentence. Part of
// the endings test, whose main is also the worker.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

TEST(Subject, Asked) {
  const SubjectInfo info = AskSubject(Faulty(""));
  EXPECT_EQ(info.name, "faulty");
  EXPECT_EQ(info.capabilities.stages, (std::vector<int>{0, 1}));
  EXPECT_EQ(AskSubject(FakeRank("good")).name, "fake");
}

TEST(Subject, ThatDiesOnceItIsAsked) {
  for (const auto& [how, words] : std::map<std::string, std::string>{
           {"dies_after_hello", "after its hello rank 0 was killed by signal 9 (SIGKILL)"},
           {"aborts_at_stop", "after its hello rank 0 was killed by signal 6 (SIGABRT)"}}) {
    const SubjectInfo info = AskSubject(FakeRank(how));
    ASSERT_EQ(info.bad_end.size(), 1u) << how;
    EXPECT_EQ(info.bad_end[0].result.ending, Ending::kCrash) << how;
    EXPECT_TRUE(info.bad_end[0].result.message.starts_with(words)) << info.bad_end[0].result.message;
  }
  EXPECT_TRUE(AskSubject(FakeRank("good")).bad_end.empty());
}

std::string UsageErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Subject, EachMistakeHasItsSentence) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(UsageErrorOf([] { ResolveSubject("nativ"); }), "got \"nativ\"");
  has(UsageErrorOf([] { ResolveSubject("plugin:/nonexistent.so"); }), "got no file of this name");
  has(UsageErrorOf([] { ResolveSubject("exec:"); }), "expected a command");
  has(UsageErrorOf([] { AskSubject(Faulty("", "no_symbol")); }), "expected the exported symbol");
  has(UsageErrorOf([] { AskSubject(Faulty("", "other_major")); }), "got version 2");
  has(UsageErrorOf([] { LauncherKindFromString("carrier pigeon"); }), "local, threads, mpirun");
  has(UsageErrorOf([] { GroupPool(Faulty(""), {}, 4).Acquire(LauncherKind::kLocal, 5); }),
      "expected 1 to 4 ranks, got 5");
  has(UsageErrorOf([] { GroupPool(Faulty(""), {}, 4).Acquire(LauncherKind::kThreads, 0); }),
      "expected 1 to 4 ranks, got 0");
}

TEST(Launcher, MissingMpirunSaysWhatToDo) {
  const std::string path = std::getenv("PATH");
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  setenv("PATH", "/nonexistent", 1);
  const std::string error = UsageErrorOf([&] { RankGroup(Faulty(""), LauncherKind::kMpirun, 2, settings); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(error.find("install Open MPI"), std::string::npos) << error;
}

}  // namespace
}  // namespace zerocts
