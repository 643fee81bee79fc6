#include "bench/record/measured_figures.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace zerocts {
namespace {

std::vector<BenchRecord> Read(const std::string& text) {
  std::istringstream lines(text);
  return RecordsOfMeasured(lines);
}

TEST(MeasuredFigures, BecomeRecordsOfThisBuildAndMachine) {
  const auto records = Read(
      R"({"subject": "torch", "what": "step_time", "case": {"ranks": 2, "model": "gpt2"}, "unit": "s", "direction": "smaller", "samples": [3, 1, 2.5]}
{"subject": "torch", "what": "tokens", "case": {}, "unit": "1/s", "direction": "bigger", "samples": [100.0]}
{"subject": "mine", "what": "step_time", "case": {"ranks": 3}, "error": "it ended with exit code 139"}
)");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].name, "step_time/model=gpt2/ranks=2");
  EXPECT_EQ(records[0].subject, "torch");
  EXPECT_EQ(records[0].value, 2.5);
  EXPECT_EQ(records[0].samples, (std::vector{3.0, 1.0, 2.5}));
  EXPECT_FALSE(records[0].machine.fingerprint.empty());
  EXPECT_EQ(records[1].direction, Direction::kBigger);
  EXPECT_EQ(records[1].unit, "1/s");
  EXPECT_EQ(records[2].value, std::nullopt);
  EXPECT_EQ(records[2].error, "it ended with exit code 139");
  for (const BenchRecord& record : records) EXPECT_NO_THROW(LineOf(record));
}

TEST(MeasuredFigures, AreRefusedInASentence) {
  const auto sentence = [](const std::string& text) -> std::string {
    try {
      Read(text);
    } catch (const std::invalid_argument& wrong) {
      return wrong.what();
    }
    return "";
  };
  const std::string begin = R"({"subject": "a", "what": "b", "case": {}, "unit": "s", )";
  EXPECT_EQ(sentence(""), "expected a line for each figure, got none");
  EXPECT_EQ(sentence("figure").find("line 1: "), 0u);
  for (const auto& [rest, words] : {
           std::pair(R"("direction": "up", "samples": [1]})", "line 1.direction: expected smaller, bigger or equal"),
           std::pair(R"("direction": "smaller", "samples": []})", "line 1.samples: expected one number at least"),
           std::pair(R"("direction": "smaller", "samples": ["1"]})", "line 1.samples: expected numbers"),
           std::pair(R"("direction": "equal", "samples": [1, 2, 1]})", "line 1.samples: expected equal numbers"),
           std::pair(R"("direction": "smaller", "samples": [1], "mean": 1})", "mean"),
       })
    EXPECT_NE(sentence(begin + rest).find(words), std::string::npos) << sentence(begin + rest);
  EXPECT_NE(sentence(R"({"subject": "a", "what": "b", "case": {"ranks": "2"}, "error": "c"})").find("case.ranks"),
            std::string::npos);
}

}  // namespace
}  // namespace zerocts
