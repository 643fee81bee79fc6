// C-ZERO-110 on ranks of this test, which answer as they are told.
#include <gtest/gtest.h>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/undeclared.hpp"
#include "conformance/contract/judge.hpp"

namespace zerocts {
namespace {

class ToldRanks : public Trial {
 public:
  using Answer = std::function<RunResult(const std::string& asked)>;
  explicit ToldRanks(Answer answer)
      : Trial([this](const Case& c) { return Told(c); }, can_), answer_(std::move(answer)) {}
  int runs() const { return runs_; }

 private:
  RunResult Told(const Case& c) {
    ++runs_;
    return answer_(BeyondDeclaration(c, can_));
  }
  Answer answer_;
  const Capabilities can_ = LittleCapable();
  int runs_ = 0;
};

Case PlainCase() {
  Case c;
  c.experiment.world_size = 2;
  c.experiment.parameters = {{"a", {2, 3}, 0}};
  return c;
}

RunResult Refused() {
  return {.ending = Ending::kRefused,
          .message = "refused",
          .reports = {{.state = "refused: no", .status = ZEROCTS_UNIMPLEMENTED}}};
}
RunResult Died(Ending ending, const std::string& how) {
  return {.ending = ending, .message = how, .reports = {{.state = how}}};
}

std::optional<Finding> Judged(ToldRanks& ranks) { return FindClauseCheck("C-ZERO-110").judge(ranks, PlainCase()); }

TEST(UndeclaredRefused, PassesWhoRefusesAll) {
  ToldRanks ranks([](const std::string&) { return Refused(); });
  EXPECT_FALSE(Judged(ranks));
}

TEST(UndeclaredRefused, ListsAllAtOnceWithItsCure) {
  ToldRanks ranks([](const std::string& asked) {
    if (asked.starts_with("stage") || asked.starts_with("clip")) return RunResult{};
    if (asked.starts_with("offload")) return Died(Ending::kCrash, "rank 0 was killed by signal 11");
    return Refused();
  });
  const std::optional<Finding> finding = Judged(ranks);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->sentence,
            "took without a word what it does not declare: stage 0, 2, 3 (declared: 1); clip\n"
            "asked for offload params (declared: none): rank 0 was killed by signal 11; asked for offload full "
            "(declared: none): rank 0 was killed by signal 11\n"
            "Cure: first in open zerocts_refuse_undeclared(..) of zerocts_refuse.h, Python refuse_undeclared(..)");
  EXPECT_EQ(finding->things, 6u);
  EXPECT_EQ(ranks.reports().front().state, "rank 0 was killed by signal 11");
}

TEST(UndeclaredRefused, CuresCallsAndTheTableToo) {
  ToldRanks ranks([](const std::string& asked) {
    return asked.starts_with("one gradient") || asked.starts_with("frozen") ? RunResult{} : Refused();
  });
  const std::string sentence = Judged(ranks).value().sentence;
  EXPECT_NE(sentence.find("in accumulate and step zerocts_refuse_accumulate(..)"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("NULL in the table for set_frozen"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("first in open"), std::string::npos) << sentence;
}

/// How the last run ended, where that is more than a wrong answer.
RunResult EndOf(ToldRanks& ranks) {
  try {
    ADD_FAILURE() << Judged(ranks).value().sentence;
  } catch (const RunEnded& ended) {
    return ended.result;
  }
  return {};
}

TEST(UndeclaredRefused, EndsWithAHangAndSaysWhatItFoundBefore) {
  ToldRanks ranks([](const std::string& asked) {
    if (asked.starts_with("stage")) return RunResult{};
    return asked.starts_with("offload") ? Died(Ending::kHang, "rank 1 did not answer") : Refused();
  });
  const RunResult end = EndOf(ranks);
  EXPECT_EQ(end.ending, Ending::kHang);
  EXPECT_NE(end.message.find("stage 0, 2, 3 (declared: 1)\nasked for offload params"), std::string::npos)
      << end.message;
  EXPECT_EQ(end.message.find("offload full"), std::string::npos) << end.message;
}

TEST(UndeclaredRefused, IsACrashOfWhoDiesOfWhateverItIsAsked) {
  ToldRanks ranks([](const std::string&) { return Died(Ending::kCrash, "died"); });
  EXPECT_EQ(EndOf(ranks).ending, Ending::kCrash);
  EXPECT_EQ(ranks.runs(), 8);
}

}  // namespace
}  // namespace zerocts
