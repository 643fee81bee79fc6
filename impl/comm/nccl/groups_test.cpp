// Groups of a mesh, cut out of one communicator of NCCL: what is said when that goes wrong, and when.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <regex>
#include <thread>

#include "impl/comm/for_test/nccl_ranks.hpp"
#include "impl/comm/nccl/library.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class NcclGroups : public Nccl {
 protected:
  /// What each rank of a 2 x 2 mesh says about making its row and its column, within three seconds.
  std::vector<std::string> Make(const std::function<void(TestRank&)>& before = [](TestRank&) {}) {
    const auto started = Clock::now();
    auto sentences = OnThreads(4, milliseconds(500), [&](TestRank& self) {
      before(self);
      const int row = self.rank / 2, column = self.rank % 2;
      std::vector<CommunicatorSettings> groups(2, self.settings);
      groups[0].group = "row";
      groups[0].members = {2 * row, 2 * row + 1};
      groups[1].group = "column";
      groups[1].members = {column, column + 2};
      MakeGroups("nccl", groups);
    });
    EXPECT_LT(Clock::now() - started, seconds(3));
    return sentences;
  }
};

TEST_F(NcclGroups, ASplitThatFailsIsToldInNcclsWords) {
  faults_.rank = 1;
  faults_.call = "ncclCommSplit";
  faults_.code = ncclRemoteError;
  const auto sentences = Make();
  EXPECT_EQ(sentences[1], "split #2 (nccl): ncclCommSplit: remote error (code 6); NCCL says: the stub was told to");
  for (const int other : {0, 2, 3}) {
    EXPECT_EQ(sentences[other].find("split #2 (nccl): waited"), 0u) << sentences[other];
    EXPECT_TRUE(std::regex_search(sentences[other], std::regex("gave up [0-9,]*1"))) << sentences[other];
  }
}

TEST_F(NcclGroups, ASplitThatFailsLaterIsToldInNcclsWords) {
  faults_.rank = 2;
  faults_.async_code = ncclRemoteError;
  EXPECT_EQ(Make()[2], "split #2 (nccl): asynchronously: remote error (code 6); NCCL says: the stub was told to");
}

TEST_F(NcclGroups, ASplitThatGivesNothingIsNoCommunicator) {
  faults_.rank = 3;
  faults_.loses_child = true;
  EXPECT_EQ(Make()[3], "split #2 (nccl): ncclCommSplit: it ended well and gave no communicator");
}

TEST_F(NcclGroups, ARankThatDoesNotComeToTheSplitIsNamedInAllGroups) {
  const auto sentences = Make([](TestRank& self) {
    if (self.rank != 1) return;
    self.settings.progress = [](const char* operation, const char*) {
      if (std::strcmp(operation, "split") == 0) std::this_thread::sleep_for(milliseconds(1200));
    };
  });
  for (const int other : {0, 2, 3}) {
    EXPECT_EQ(WithoutHaste(sentences[other]), "split #2 (nccl): waited; arrived 0,2,3; missing 1");
  }
}

TEST_F(NcclGroups, ASplitThatHangsEndsAtItsDeadline) {
  faults_.rank = 1;
  faults_.stalls = faults_.hides_stall = true;
  for (const std::string& sentence : Make()) EXPECT_EQ(sentence.find("split #2 (nccl): waited"), 0u) << sentence;
}

}  // namespace
}  // namespace zerocts::engine
