// No log that lost, gained or changed a line is believed, and no run that is not all that it announces.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr int kNoVerdict = 3;

/// Two clauses with two configurations each, all that was planned, all passed.
Records WholeRun() {
  json run = RunRecord();
  run["launchers"] = {"local"};
  run["precisions"] = {"fp32"};
  run["clauses"] = {"C-ZERO-001", "C-ZERO-007"};
  Records records = {run};
  for (const char* clause : {"C-ZERO-001", "C-ZERO-007"}) {
    records.push_back(StartRecord(clause, "name"));
    for (const int world_size : {1, 3}) records.push_back(ConfigurationRecord(clause, world_size, "pass"));
    records.push_back(EndRecord(clause, "pass"));
  }
  return Ended(records, "conformant", 0);
}

class DamagedLog : public testing::Test {
 protected:
  DamagedLog() { std::filesystem::create_directories(folder_); }
  ~DamagedLog() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/results.ndjson"; }

  Lines Written(const Records& records) const {
    EventLog log(path());
    for (const json& record : records) log.Write(record);
    Lines lines;
    std::ifstream in(path());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  RunView ViewOfText(const std::string& text) const {
    std::ofstream(path()) << text;
    return ViewOfLog(path());
  }

  RunView ViewOfLines(const Lines& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return ViewOfText(text);
  }

  /// The log with its lines edited has no verdict, and says why.
  void ExpectNoVerdict(const std::function<void(Lines&)>& edit, const std::string& reason) const {
    Lines lines = Written(WholeRun());
    edit(lines);
    const RunView view = ViewOfLines(lines);
    EXPECT_EQ(view.Objection(), reason);
    EXPECT_EQ(view.exit_code(), kNoVerdict);
    EXPECT_NE(TableOf(view, false).find("no verdict: " + reason), std::string::npos);
  }

 private:
  std::string folder_ = testing::TempDir() + "damaged_log_test." + std::to_string(getpid());
};

TEST_F(DamagedLog, IsBelievedWhenItIsWhole) {
  const RunView view = ViewOfLines(Written(WholeRun()));
  EXPECT_EQ(view.Objection(), "");
  EXPECT_EQ(view.exit_code(), 0);
}

TEST_F(DamagedLog, WithoutALine) {
  ExpectNoVerdict([](Lines& lines) { lines.erase(lines.begin() + 3); },
                  "line 4 is missing: line 5 stands in its place");
  ExpectNoVerdict([](Lines& lines) { lines.erase(lines.begin()); }, "line 1 is missing: line 2 stands in its place");
  ExpectNoVerdict([](Lines& lines) { lines.pop_back(); }, "the run was cut off: its log has no run_end");
}

TEST_F(DamagedLog, WithALineTooMany) {
  ExpectNoVerdict([](Lines& lines) { lines.insert(lines.begin() + 3, lines[2]); },
                  "line 4 was added, doubled or moved: it says that it is line 3");
  ExpectNoVerdict([](Lines& lines) { lines.push_back(lines.back()); },
                  "line 11 was added, doubled or moved: it says that it is line 10");
  ExpectNoVerdict(
      [](Lines& lines) { lines.insert(lines.begin() + 3, ConfigurationRecord("C-ZERO-001", 4, "pass").dump()); },
      "line 4 has no number and hash: no zerocts of this version wrote it");
  ExpectNoVerdict([](Lines& lines) { lines.insert(lines.begin() + 3, "nonsense"); },
                  "no record stands in line 4; in its text, line 1, column 1: expected a value, got \"no\"");
  ExpectNoVerdict(
      [](Lines& lines) { lines.insert(lines.begin() + 3, ""); },
      "no record stands in line 4; in its text, line 1, column 1: expected a value, got the end of the text");
}

TEST_F(DamagedLog, WithTwoRuns) {
  ExpectNoVerdict([](Lines& lines) { std::ranges::copy(Lines(lines), std::back_inserter(lines)); },
                  "a second run begins in line 11");
}

TEST_F(DamagedLog, InAnotherOrder) {
  ExpectNoVerdict([](Lines& lines) { std::swap(lines[2], lines[3]); }, "line 3 is missing: line 4 stands in its place");
}

TEST_F(DamagedLog, WithAnythingChanged) {
  const Lines whole = Written(WholeRun());
  for (size_t line = 0; line < whole.size(); ++line) {
    for (size_t at = 0; at < whole[line].size(); ++at) {
      Lines lines = whole;
      lines[line][at] = lines[line][at] == '1' ? '2' : '1';
      if (lines[line] == whole[line] || (line == 0 && at == 0)) continue;  // what does not begin as a record is refused
      EXPECT_EQ(ViewOfLines(lines).exit_code(), kNoVerdict) << lines[line];
    }
  }
  ExpectNoVerdict([](Lines& lines) { lines[2].replace(lines[2].find("\"cases\":10"), 10, "\"cases\":99"); },
                  "line 3 was changed after it was written");
}

TEST_F(DamagedLog, CutAnywhere) {
  std::string whole;
  for (const std::string& line : Written(WholeRun())) whole += line + '\n';
  for (size_t length = 0; length + 1 < whole.size(); ++length) {  // its last end of line says nothing
    EXPECT_EQ(ViewOfText(whole.substr(0, length)).exit_code(), kNoVerdict) << length;
  }
  EXPECT_EQ(ViewOfText(whole.substr(0, whole.size() - 9)).Objection(), "the log was cut off in line 10");
  EXPECT_EQ(ViewOfText("").Objection(), "the log holds no run");
}

/// What a log says whose lines are all intact.
std::string ObjectionTo(const Records& records) { return ViewOf(records).Objection(); }

Records Without(Records records, const std::function<bool(const json&)>& is_lost) {
  std::erase_if(records, is_lost);
  return records;
}

TEST(IntactLog, IsAllThatItAnnounces) {
  EXPECT_EQ(ObjectionTo(WholeRun()), "");
  const auto of_three = [](const json& record) { return record.value("world_size", 0) == 3; };
  EXPECT_EQ(ObjectionTo(Without(WholeRun(), of_three)), "the log is not whole: 4 configurations announced, 2 there");
  const auto of_seven = [](const json& record) { return record.value("clause", "") == "C-ZERO-007"; };
  EXPECT_EQ(ObjectionTo(Without(WholeRun(), of_seven)), "the log is not whole: 2 clauses announced, 1 there");
  Records records = WholeRun();
  records[2]["cases"] = 9;
  EXPECT_EQ(ObjectionTo(records), "the log is not whole: 40 cases announced, 39 there");
  records[2]["result"] = "too_few";
  EXPECT_EQ(ObjectionTo(records), "the log is not whole: 4 configurations with pass announced, 3 there");
  records = WholeRun();
  records.insert(records.begin() + 2, FailureRecord("C-ZERO-001", 3));
  EXPECT_EQ(ObjectionTo(records), "the log is not whole: 0 failures announced, 1 there");
  const auto is_note = [](const json& record) { return record.at("record") == "note"; };
  records = Inserted(WholeRun(), 9, NoteRecord("MXCSR"));
  EXPECT_EQ(ObjectionTo(records), "");
  EXPECT_EQ(ObjectionTo(Without(records, is_note)), "the log is not whole: 1 notes announced, 0 there");
}

TEST(IntactLog, IsAllThatWasPlanned) {
  const auto of_three = [](const json& record) { return record.value("world_size", 0) == 3; };
  EXPECT_EQ(ObjectionTo(Recounted(Without(WholeRun(), of_three))), "2 configurations of C-ZERO-001 planned, 1 there");
  const auto of_seven = [](const json& record) { return record.value("clause", "") == "C-ZERO-007"; };
  EXPECT_EQ(ObjectionTo(Recounted(Without(WholeRun(), of_seven))), "C-ZERO-007 was planned, and is not there");
}

TEST(IntactLog, HasAConfigurationOnceThatWasAskedForTwice) {
  Records records = WholeRun();
  records.front()["world_sizes"] = {1, 3, 3};
  EXPECT_EQ(ObjectionTo(records), "");
}

TEST(IntactLog, MayBreakOffAClauseWhereTheHarnessFailed) {
  Records records = WholeRun();
  records.erase(records.begin() + 3);
  records[2]["result"] = records[3]["result"] = "harness_error";
  records.back()["verdict"] = "harness error";
  records.back()["exit_code"] = 3;
  EXPECT_EQ(ObjectionTo(Recounted(records)), "");
}

TEST(IntactLog, HasNoCountBelowZero) {
  Records records = WholeRun();
  records[2]["cases"] = -2;
  EXPECT_EQ(ObjectionTo(Recounted(records)), "C-ZERO-001 has -2 cases under local W=1 fp32");
}

TEST(IntactLog, DoesNotContradictItself) {
  Records records = WholeRun();
  records.back()["exit_code"] = 1;
  EXPECT_EQ(ObjectionTo(records), "run_end says conformant (exit code 1), the records say conformant (exit code 0)");
  records.back() = {{"record", "run_end"}, {"verdict", "not conformant"}, {"exit_code", 0}};
  EXPECT_EQ(ObjectionTo(Recounted(records)),
            "run_end says not conformant (exit code 0), the records say conformant (exit code 0)");
  records = WholeRun();
  records.front()["partial"] = "world size 3 only";
  EXPECT_EQ(ObjectionTo(records),
            "run_end says conformant (exit code 0), the records say conformant, partial: world "
            "size 3 only (exit code 0)");
}

class LockedLog : public DamagedLog {
 protected:
  /// What a second writer gets; "" when there is nothing to say.
  std::string Complaint() const {
    try {
      EventLog log(path());
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

TEST_F(LockedLog, RefusesASecondWriterAndLosesNothing) {
  {
    EventLog log(path());
    EXPECT_NE(Complaint().find("where another zerocts still does"), std::string::npos) << Complaint();
    log.Write({{"record", "run"}, {"pid", 1234}});
    EXPECT_NE(Complaint().find("another zerocts (pid 1234) still does; wait for it, or"), std::string::npos);
    EXPECT_EQ(ReadEventLog(path()).records.size(), 1u);
  }
  EXPECT_EQ(Complaint(), "");
}

TEST_F(LockedLog, IsFreeWhenItsWriterIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const EventLog log(path());
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NE(Complaint(), "");
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_EQ(Complaint(), "");
  close(ready[0]), close(ready[1]);
}

}  // namespace
}  // namespace zerocts
