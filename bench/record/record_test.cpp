#include "bench/record/record.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "bench/record/provenance.hpp"
#include "bench/record/record_file.hpp"
#include "bench/record/record_for_test.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/temporary_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

std::string Refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}

std::string RefusalOf(const json& line) {
  return Refusal([&] { RecordFromJson(line); });
}

TEST(BenchRecord, IsOneLineAndReadsBackAsItWas) {
  for (const BenchRecord& record : {FullRecord(), FailedRecord("the ranks crashed:\n\"rank 1\"")}) {
    const std::string line = LineOf(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const BenchRecord again = RecordFromJson(ParseJson(line));
    EXPECT_EQ(LineOf(again), line);
    EXPECT_EQ(again.error, record.error);
    EXPECT_EQ(again.value, record.value);
    EXPECT_EQ(again.samples, record.samples);
  }
}

TEST(BenchRecord, BeginsWithTheFieldsThatTellWhatItIs) {
  EXPECT_TRUE(LineOf(FullRecord())
                  .starts_with(R"({"schema":"zerocts-bench-record","version":1,"name":"step_time/stage=2/ranks=2",)"))
      << LineOf(FullRecord());
}

TEST(BenchRecord, OfAFailureHasASentenceAndNeverAFigure) {
  BenchRecord both = FailedRecord("the ranks crashed");
  both.value = 1;
  EXPECT_THROW(LineOf(both), std::invalid_argument);
  BenchRecord neither = FullRecord();
  neither.value.reset();
  EXPECT_THROW(LineOf(neither), std::invalid_argument);
  BenchRecord endless = FullRecord();
  endless.value = INFINITY;
  EXPECT_THROW(LineOf(endless), std::invalid_argument);
}

TEST(BenchRecord, LacksNoField) {
  const json whole = ParseJson(LineOf(FullRecord()));
  for (const auto& [name, value] : whole.items()) {
    if (name == "timeline") continue;  // only some have one
    json line = whole;
    line.erase(name);
    EXPECT_NE(RefusalOf(line).find(name + ": expected"), std::string::npos) << name << ": " << RefusalOf(line);
  }
}

TEST(BenchRecord, RefusesInASentence) {
  const std::vector<std::pair<json, const char*>> wrong = {
      {{{"schema", "other"}}, R"(record.schema: expected "zerocts-bench-record", got "other")"},
      {{{"version", 2}}, "record.version: expected 1, which this program reads, got 2"},
      {{{"name", ""}}, R"(record.name: expected text that is not empty, got "")"},
      {{{"value", "fast"}}, R"(record.value: expected a finite number, got "fast")"},
      {{{"value", -1}}, "record.value: expected a number from 0 to 1e100, got -1"},
      {{{"value", 1e101}}, "record.value: expected a number from 0 to 1e100, got 1e+101"},
      {{{"samples", {1, -1}}}, "record.samples: expected numbers from 0 to 1e100, got [1,-1]"},
      {{{"name", "a\x1b[31m"}}, R"(record.name: expected printable text, got "a\u001b[31m")"},
      {{{"unit", "s\n"}}, R"(record.unit: expected printable text, got "s\n")"},
      {{{"direction", "down"}}, "record.direction: expected smaller, bigger or equal, got down"},
      {{{"samples", {1, nullptr}}}, "record.samples[1]: expected a finite number, got null"},
      {{{"interval", {{"low", 2}, {"high", 1}, {"confidence", 0.9}}}},
       "record.interval.high: expected at least low, got 1"},
      {{{"case", {{"stage", {1}}}}}, "record.case.stage: expected printable text, a number, true or false, got [1]"},
      {{{"steal_fraction", 1.5}}, "record.steal_fraction: expected a number from 0 to 1, got 1.5"},
      {{{"host", "a"}}, "record.host: unknown field"}};
  for (const auto& [change, sentence] : wrong) {
    json line = ParseJson(LineOf(FullRecord()));
    line.update(change);
    EXPECT_EQ(RefusalOf(line), sentence);
  }
}

TEST(BenchRecord, SaysWhereItWasMeasuredWithoutNames) {
  const StealClock steal;
  const BenchRecord record = BlankRecord("native", 1, steal);
  EXPECT_FALSE(record.compiler.name.empty());
  EXPECT_EQ(record.machine.fingerprint, MachineOfRecords().fingerprint);
  EXPECT_GE(record.machine.cores, 1);
  EXPECT_FALSE(record.oversubscribed);
  EXPECT_TRUE(BlankRecord("native", record.machine.cores + 1, steal).oversubscribed);
  EXPECT_EQ(record.date.size(), std::string("2026-11-25T02:48:33Z").size());
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  BenchRecord filled = record;
  filled.name = "x", filled.unit = "s", filled.value = 1;
  const std::set<std::string> common = {"localhost", "linux", ""};
  EXPECT_TRUE(common.contains(host) || LineOf(filled).find(host) == std::string::npos) << LineOf(filled);
}

class RecordFile : public ::testing::Test {
 protected:
  std::string Refused(const std::string& content) {
    const TemporaryText file(content);
    std::string sentence = Refusal([&] { ReadRecords(file.path()); });
    EXPECT_TRUE(sentence.starts_with(file.path())) << sentence;
    return sentence.substr(std::min(file.path().size(), sentence.size()));
  }
};

TEST_F(RecordFile, GrowsAndIsNeverOverwritten) {
  const TemporaryText file("");
  AppendRecords(file.path(), {FullRecord()});
  AppendRecords(file.path(), {FailedRecord("no"), FullRecord()});
  const auto records = ReadRecords(file.path());
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].error, "no");
}

TEST_F(RecordFile, TakesLinesOfSeveralProcessesWhole) {
  const TemporaryText file("");
  constexpr int kProcesses = 4, kTimes = 25;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    children.push_back(fork());
    if (children.back() == 0) {
      for (int i = 0; i < kTimes; ++i) AppendRecords(file.path(), {FullRecord(), FullRecord()});
      _exit(0);
    }
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  EXPECT_EQ(ReadRecords(file.path()).size(), size_t{2 * kProcesses * kTimes});
}

TEST_F(RecordFile, OfSomethingElseIsNotAddedTo) {
  for (const char* content : {"# notes\n", "{}\n", "torn"}) {
    const TemporaryText file(content);
    EXPECT_THROW(AppendRecords(file.path(), {FullRecord()}), UsageError) << content;
    EXPECT_EQ(std::filesystem::file_size(file.path()), std::string(content).size());
  }
  EXPECT_THROW(AppendRecords("/nonexistent/records", {FullRecord()}), UsageError);
}

TEST_F(RecordFile, IsRefusedInASentence) {
  const std::string good = LineOf(FullRecord()) + "\n";
  EXPECT_EQ(Refused(""), ": expected at least one record, got an empty file");
  EXPECT_EQ(Refused(good + good.substr(0, 40)), ": expected a line break at the end, got a torn last line; remove it");
  EXPECT_TRUE(
      Refused(good + "{}\n").starts_with(", line 2: expected a record of a benchmark: record.schema: expected"));
  EXPECT_TRUE(Refused("benchmark,seconds\n").starts_with(", line 1: expected a record of a benchmark: line 1, column"));
  EXPECT_THROW(ReadRecords("/nonexistent"), UsageError);
  EXPECT_THROW(ReadRecords("/tmp"), UsageError);
}

}  // namespace
}  // namespace zerocts
