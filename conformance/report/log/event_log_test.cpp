#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log/log_chain.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/log/test_records.hpp"
#include "reference/experiment/bad_json_for_test.hpp"

namespace zerocts {
namespace {

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() { std::filesystem::create_directories(folder_); }
  ~EventLogTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Put(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }

 private:
  std::string folder_ = testing::TempDir() + "event_log_test." + std::to_string(getpid());
};

TEST_F(EventLogTest, ReadsBackWhatWasWritten) {
  const std::string path = Path("new/folder/results.ndjson");
  EventLog log(path);
  for (const auto& record : GreenRecords()) log.Write(record);
  EXPECT_EQ(ReadEventLog(path).records, GreenRecords());
  EXPECT_EQ(ReadEventLog(path).damage, "");
}

TEST_F(EventLogTest, EveryRecordIsOnDiskAtOnce) {
  EventLog log(Path("results.ndjson"));
  log.Write(RunRecord());
  EXPECT_EQ(ReadEventLog(Path("results.ndjson")).records.size(), 1u);  // the log is still open
}

TEST_F(EventLogTest, TheRunBeforeIsKept) {
  const std::string path = Path("results.ndjson");
  for (const auto& record : {RunRecord(), StartRecord("C-ZERO-001", "name")}) EventLog(path).Write(record);
  EXPECT_EQ(ReadEventLog(Path("results.previous.ndjson")).records.at(0), RunRecord());
  EXPECT_EQ(ReadEventLog(path).records.at(0), StartRecord("C-ZERO-001", "name"));
}

TEST_F(EventLogTest, WhatALinkNamesStays) {
  const std::string stranger = Put("stranger", "a stranger's"), path = Path("results.ndjson");
  const std::string previous = Path("results.previous.ndjson");
  for (const bool is_hard : {false, true}) {
    for (const std::string& link : {path, previous}) {
      std::filesystem::remove(link);
      is_hard ? std::filesystem::create_hard_link(stranger, link) : std::filesystem::create_symlink(stranger, link);
      EventLog(path).Write(RunRecord());
      EventLog(path).Write(RunRecord());
      EXPECT_EQ(ReadEventLog(previous).records.at(0), RunRecord());
      std::string line;
      std::getline(std::ifstream(stranger), line);
      EXPECT_EQ(line, "a stranger's");
    }
  }
}

TEST_F(EventLogTest, BytesThatAreNoUtf8DoNotCostTheRecord) {
  EventLog log(Path("results.ndjson"));
  log.Write(FailureRecord("C-ZERO-001", 3));
  const auto records = ReadEventLog(Path("results.ndjson")).records;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_NE(records[0]["ranks"][0]["output"].get<std::string>().find("line"), std::string::npos);
}

TEST_F(EventLogTest, WhatIsNoLogIsRefused) {
  try {
    ReadEventLog(Put("a.ndjson", "nonsense\n"));
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("line 1"), std::string::npos) << error.what();
  }
  EXPECT_THROW(ReadEventLog(Put("b.ndjson",
                                "\x7f"
                                "ELF")),
               UsageError);
  EXPECT_THROW(ReadEventLog(Path("missing")), UsageError);
  EXPECT_THROW(ReadEventLog(Path("")), UsageError);
}

TEST_F(EventLogTest, LinesAreReadWithinLimits) {
  for (const BadJson& bad : BadJsonValues()) {
    const std::string line = "{\"record\":\"configuration\",\"cases\":" + bad.value + "}\n";
    const std::string damage =
        ReadEventLog(Put("bad.ndjson", LogChain().Link(RunRecord()) + "\n" + line + line)).damage;
    EXPECT_TRUE(damage.starts_with("no record stands in line 2; in its text, line 1, column ")) << damage;
    EXPECT_NE(damage.find(bad.phrase), std::string::npos) << damage;
  }
}

TEST_F(EventLogTest, FolderThatCannotBeWrittenIsAUsageError) {
  EXPECT_THROW(EventLog(Put("file", "x") + "/results.ndjson"), UsageError);
}

}  // namespace
}  // namespace zerocts
