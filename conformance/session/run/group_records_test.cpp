#include "conformance/session/run/group_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/log/record.hpp"
#include "conformance/session/for_test/test_session.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(NoteRecords, AreOneForEachTextWithAllRanksThatSaidIt) {
  const auto records = NoteRecords({{LauncherKind::kLocal, 3, 2, "MXCSR"},
                                    {LauncherKind::kLocal, 3, 1, "MXCSR"},
                                    {LauncherKind::kMpirun, 2, 0, "MXCSR"},
                                    {LauncherKind::kLocal, 3, 1, "another"}});
  const json in_local = {{"launcher", "local"}, {"world_size", 3}, {"ranks", {1, 2}}};
  const json in_mpirun = {{"launcher", "mpirun"}, {"world_size", 2}, {"ranks", {0}}};
  const json of_another = {{"launcher", "local"}, {"world_size", 3}, {"ranks", {1}}};
  EXPECT_EQ(records, (std::vector<json>{{{"record", "note"}, {"text", "MXCSR"}, {"groups", {in_local, in_mpirun}}},
                                        {{"record", "note"}, {"text", "another"}, {"groups", {of_another}}}}));
}

TEST(NoteRecords, StandInTheLogAndAreAnnounced) {
  SessionSettings settings = TestSettings();
  settings.info.notes = {{LauncherKind::kLocal, 1, 0, "MXCSR"}};
  TestSession session([](const Configuration&, const Case&) { return RunResult(); }, settings);
  session.get().Finish();
  const std::vector<json> records = ReadEventLog(session.folder() / "results.ndjson").records;
  EXPECT_EQ(std::ranges::count(records, "note", [](const json& record) { return record.at("record"); }), 1);
  EXPECT_EQ(records.back().at("counts").at("notes"), 1);
}

/// As those of groups that ran cases.
TEST(GroupEnds, AlsoOfTheRanksThatWereAskedWhatTheSubjectIs) {
  SessionSettings settings = TestSettings();
  settings.info.bad_end = {{LauncherKind::kLocal, 1, {.ending = Ending::kCrash, .message = "after its hello"}}};
  TestSession session([](const Configuration&, const Case&) { return RunResult(); }, settings);
  session.get().Finish();
  const std::vector<json> records = ReadEventLog(session.folder() / "results.ndjson").records;
  const auto end = std::ranges::find(records, "group_end", [](const json& record) { return record.at("record"); });
  ASSERT_NE(end, records.end());
  EXPECT_EQ(end->at("result"), "crash");
  EXPECT_EQ(end->at("sentence"), "after its hello");
}

}  // namespace
}  // namespace zerocts
