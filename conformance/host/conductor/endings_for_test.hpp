// A group of ranks under each launcher that runs one case: how it must end, and that nothing is left of it.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

inline bool MpirunIsThere() { return std::system("command -v mpirun >/dev/null 2>&1") == 0; }

struct ExpectedEnding {
  Ending ending;
  std::string in_message;  // a part of it
  bool spent = true;
};

class Endings : public testing::TestWithParam<LauncherKind> {
 protected:
  void SetUp() override {
    if (GetParam() == LauncherKind::kMpirun && !MpirunIsThere()) GTEST_SKIP() << "needs mpirun";
    folder_ = std::make_unique<SessionFolder>();
    settings_.session_dir = folder_->path();
    settings_.case_deadline = std::chrono::seconds(4);
  }

  void TearDown() override {
    if (!folder_) return;
    group_.reset();
    EXPECT_EQ(ProcessesOf(folder_->path()), std::vector<pid_t>());
    const std::string path = folder_->path();
    folder_.reset();
    EXPECT_FALSE(std::filesystem::exists(path));
  }

  bool threads() const { return GetParam() == LauncherKind::kThreads; }

  RunResult Run(const SubjectSpec& subject, const Case& c = TinyCase()) {
    group_ = std::make_unique<RankGroup>(subject, GetParam(), kWorldSize, settings_);
    return group_->Run(c);
  }

  void Expect(const RunResult& result, const ExpectedEnding& expected) {
    EXPECT_EQ(ToString(result.ending), ToString(expected.ending)) << result.message;
    EXPECT_NE(result.message.find(expected.in_message), std::string::npos) << result.message;
    EXPECT_EQ(group_->spent(), expected.spent);
    EXPECT_EQ(result.reports.size(), static_cast<size_t>(kWorldSize));
    if (expected.spent) {  // at once, not only when the group goes
      EXPECT_EQ(ProcessesOf(folder_->path()), std::vector<pid_t>());
    }
  }

  /// Runs the case while `fault` makes rank 1 hang, and lets `outside` act once the ranks are at work.
  template <typename Outside>
  RunResult RunWith(Outside outside) {
    group_ = std::make_unique<RankGroup>(Faulty("hang"), GetParam(), kWorldSize, settings_);
    const std::vector<int> pids = group_->rank_pids();
    std::thread actor([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      outside(pids);
    });
    RunResult result = group_->Run(TinyCase());
    actor.join();
    return result;
  }

  std::unique_ptr<SessionFolder> folder_;
  HostSettings settings_;
  std::unique_ptr<RankGroup> group_;
};

}  // namespace zerocts
