#include "conformance/watch/collector.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "conformance/watch/frame_for_test.hpp"
#include "conformance/watch/judged_run.hpp"

namespace zerocts::watch {
namespace {

void Send(const std::string& path, const std::vector<std::string>& heads, const std::string& garbage = "") {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  std::string bytes = garbage;
  for (const std::string& head : heads) bytes += Frame(head);
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  close(file);
}

/// What a run collects from ranks that send at once, and what it refuses.
struct Collected {
  int records = 0;
  std::vector<std::string> refused;
};

template <typename Ranks>
Collected Collect(Ranks ranks) {
  Collector collector;
  int done[2];
  EXPECT_EQ(pipe(done), 0);
  Collected collected;
  std::thread judge([&] {
    collector.Run(
        done[0], [&](const Record&, std::string_view) { ++collected.records; },
        [&](const std::string& why) { collected.refused.push_back(why); });
  });
  ranks(collector.path());
  close(done[1]);
  judge.join();
  close(done[0]);
  return collected;
}

const std::string kEnd = R"({"kind":"end","rank":0,"world":1})";

TEST(Collector, TakesAllThatRanksSentBeforeTheirEnd) {
  const Collected collected = Collect([](const std::string& path) {
    for (int rank = 0; rank < 5; ++rank) Send(path, std::vector<std::string>(100, kEnd));
  });
  EXPECT_EQ(collected.records, 500);
  EXPECT_TRUE(collected.refused.empty());
}

TEST(Collector, LeavesARankThatSendsSomethingElse) {
  const Collected collected = Collect([](const std::string& path) {
    Send(path, {}, "GET / HTTP/1.1\r\n\r\n");
    Send(path, {R"({"kind":"fish","rank":0,"world":1})"});
    Send(path, {kEnd});
  });
  EXPECT_EQ(collected.records, 1);
  EXPECT_EQ(collected.refused.size(), 2u);
}

// What judges say of records of three ranks, without torch.

std::string Start(int rank) {
  return R"({"kind":"start","rank":)" + std::to_string(rank) +
         R"(,"world":3,"pid":1,"compiled":false,"torch":"2.13","host":"h","script":"s"})";
}

std::string Step(int rank) {
  return R"({"kind":"step","rank":)" + std::to_string(rank) +
         R"(,"world":3,"optimizer":0,"step":0,"hyper":[["lr 0.1","eps 1"]],"inner_hyper":[],"counts":[1],"parameters":[],"held":[],"has_gradient":[],"batches":0,"spent":0.0,"total":0.1,"host_bytes":1,"device_bytes":0})";
}

/// By the clauses that are linked: those of contract are not.
TEST(JudgedRun, WithoutClausesHasJudgedNothing) {
  std::vector<std::string> said;
  JudgedRun run({}, [&](const std::string& line) { said.push_back(line); });
  for (int rank = 0; rank < 3; ++rank) {
    run.Take(RecordFrom(Start(rank), ""));
    run.Take(RecordFrom(Step(rank), ""));
  }
  run.Finish();
  EXPECT_EQ(run.exit_code(), 6);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].starts_with("watching 3 ranks with torch 2.13: 0 parameters; the operations of")) << said[0];
}

TEST(ObservedRun, SaysTheFirstFindingsOfAClauseAndCountsAll) {
  std::vector<std::string> said;
  ObservedRun run([&](const Finding& finding) { said.push_back(finding.Sentence()); });
  for (int i = 0; i < 9; ++i) run.Add({"C", Level::kAlarm, i, 1, "parameter " + std::to_string(i % 5), "differs"});
  EXPECT_EQ(said.size(), static_cast<size_t>(kMostSaid));
  EXPECT_EQ(said[0], "step 0, rank 1, parameter 0: differs");
  ASSERT_EQ(run.findings().size(), 5u);
  EXPECT_EQ(run.findings()[0].Sentence(), "step 0, rank 1, parameter 0: differs (2 times)");
}

TEST(Meeting, IsOverOnceAllAreThere) {
  Meeting<int, int> meeting;
  EXPECT_FALSE(meeting.Join(7, 0, 10, 3));
  EXPECT_FALSE(meeting.Join(8, 0, 11, 3));
  EXPECT_FALSE(meeting.Join(7, 2, 12, 3));
  const auto all = meeting.Join(7, 1, 13, 3);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::map<int, int>{{0, 10}, {1, 13}, {2, 12}}));
  EXPECT_EQ(meeting.waiting().size(), 1u);
}

TEST(RanksText, IsThatOfASentence) {
  EXPECT_EQ(RanksText({2}), "rank 2");
  EXPECT_EQ(RanksText({0, 1, 3}), "ranks 0, 1 and 3");
}

}  // namespace
}  // namespace zerocts::watch
