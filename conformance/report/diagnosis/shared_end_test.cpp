#include "conformance/report/diagnosis/shared_end.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

const std::string kRaised = "IndexError: no bucket 3 (my_file.py:31, in step)";

json Refusal(const std::string& clause, const std::string& raised) {
  json failure = FailureRecord(clause, 3, "refused");
  failure["sentence"] = fmt::format("rank 1 refused step (step 0): INTERNAL: {}", raised);
  return failure;
}

/// So many clauses under local, of which the first ones fail.
RunView RunOf(int clauses, const std::vector<std::string>& raised, const char* other_launcher = nullptr) {
  Records records = {RunRecord()};
  for (int i = 0; i < clauses; ++i) {
    const std::string id = fmt::format("C-ZERO-1{:02}", i);
    const bool fails = i < std::ssize(raised);
    records.push_back(StartRecord(id, "a clause"));
    if (fails) records.push_back(Refusal(id, raised[i]));
    records.push_back(ConfigurationRecord(id, 3, fails ? "refused" : "pass", 4));
    if (other_launcher) {
      records.push_back(ConfigurationRecord(id, 3, "pass", 4));
      records.back()["launcher"] = other_launcher;
    }
    records.push_back(EndRecord(id, fails ? "refused" : "pass"));
  }
  return ViewOf(records);
}

TEST(SharedEnd, IsPartOfEveryDiagnosis) {
  const Diagnosis diagnosis = Diagnose(RunOf(4, {kRaised, kRaised, kRaised}), {});
  ASSERT_FALSE(diagnosis.notes.empty());
  EXPECT_EQ(diagnosis.notes.front().text, "the subject raised " + kRaised);
}

Diagnosis SharedIn(const RunView& view) {
  Diagnosis diagnosis{.notes = {{"W: not divided by the number of ranks", 2}}, .candidates = {{.id = "M20"}}};
  AddSharedEnds(view, diagnosis);
  return diagnosis;
}

TEST(SharedEnd, WhatIsRaisedIsTheSubjectsOwnSentence) {
  EXPECT_EQ(RaisedIn(Refusal("C-ZERO-001", kRaised)), kRaised);
  EXPECT_EQ(RaisedIn({{"sentence", "the ranks ended differently: rank 1 refused step: INTERNAL: no, rank 0 observed"}}),
            "no");
  EXPECT_EQ(RaisedIn(FailureRecord("C-ZERO-001", 3)), "");
}

TEST(SharedEnd, OfATracebackTheLastFrameOfTheUserIsNamed) {
  json died = FailureRecord("C-ZERO-001", 3, "crash");
  died["ranks"][0]["output"] =
      "Traceback (most recent call last):\n  File \"/home/a/mine.py\", line 7, in step\n    torch.stack([])\n"
      "  File \"/venv/site-packages/torch/f.py\", line 9, in stack\n    pass\nRuntimeError: empty\n";
  EXPECT_EQ(RaisedIn(died), "RuntimeError: empty (mine.py:7, in step)");
}

TEST(SharedEnd, OneExceptionEverywhereIsSaidOnceAndNothingElse) {
  const Diagnosis diagnosis =
      SharedIn(RunOf(4, {kRaised, kRaised, "IndexError: no bucket 4 (my_file.py:31, in step)", "another"}));
  ASSERT_EQ(diagnosis.notes.size(), 1u);
  EXPECT_EQ(diagnosis.notes[0].text, "the subject raised " + kRaised);
  EXPECT_EQ(diagnosis.notes[0].clauses, 3);
  EXPECT_EQ(diagnosis.failing, 4);
  EXPECT_TRUE(diagnosis.candidates.empty());
}

TEST(SharedEnd, WhatAllOfFewClausesRaiseIsSaid) {
  for (const std::vector<std::string>& raised : {std::vector{kRaised}, std::vector{kRaised, kRaised}}) {
    const Diagnosis diagnosis = SharedIn(RunOf(4, raised));
    ASSERT_EQ(diagnosis.notes.size(), 1u);
    EXPECT_EQ(diagnosis.notes[0].text, "the subject raised " + kRaised);
    EXPECT_TRUE(diagnosis.candidates.empty());
  }
}

TEST(SharedEnd, WhatNothingRaisedIsARefusal) {
  EXPECT_EQ(SharedIn(RunOf(4, {"zero_grad(set_to_none=True): expected None"})).notes[0].text,
            "the subject refused: zero_grad(set_to_none=True): expected None");
}

RunView RunThatEnds(const std::vector<std::string>& endings) {
  Records records = {RunRecord()};
  for (const std::string& ending : endings) {
    const std::string id = fmt::format("C-ZERO-1{:02}", records.size());
    records.push_back(StartRecord(id, "a clause"));
    records.push_back(FailureRecord(id, 3, ending == "observed" ? "fail" : ending));
    records.back()["sentence"] = "rank 1 was killed by signal 11 (SIGSEGV)";
    records.back()["ending"] = ending;
    records.push_back(ConfigurationRecord(id, 3, ending == "observed" ? "fail" : ending, 1));
    records.push_back(EndRecord(id, ending == "observed" ? "fail" : ending));
  }
  return ViewOf(records);
}

TEST(SharedEnd, RanksThatAllCrashedAreTheDiagnosis) {
  EXPECT_EQ(SharedIn(RunThatEnds({"crash"})).notes[0].text,
            "the ranks crash: rank 1 was killed by signal 11 (SIGSEGV)");
  EXPECT_EQ(SharedIn(RunThatEnds({"crash", "crash"})).notes[0].clauses, 2);
  EXPECT_EQ(SharedIn(RunThatEnds({"crash", "observed"})).candidates.size(), 1u);
}

TEST(SharedEnd, WhatFewClausesRaiseIsNotShared) {
  EXPECT_EQ(SharedRaise(RunOf(2, {kRaised, kRaised})), "");
  EXPECT_EQ(SharedRaise(RunOf(5, {kRaised, kRaised, kRaised, "a", "b"})), "");
  EXPECT_EQ(SharedIn(RunOf(5, {"a", "b"})).candidates.size(), 1u);
}

TEST(SharedEnd, ALauncherThatFailsAloneIsNamed) {
  const Diagnosis diagnosis = SharedIn(RunOf(3, {"a", "b", "c"}, "mpirun"));
  ASSERT_EQ(diagnosis.notes.size(), 2u);
  EXPECT_EQ(diagnosis.notes[0].text, "all 3 clauses that ran under local failed, under mpirun all passed");
  EXPECT_EQ(SharedIn(RunOf(4, {"a", "b", "c"}, "mpirun")).notes.size(), 1u) << "one passed";
}

}  // namespace
}  // namespace zerocts
