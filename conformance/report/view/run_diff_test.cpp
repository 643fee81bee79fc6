#include "conformance/report/view/run_diff.hpp"

#include <gtest/gtest.h>

#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

/// One clause with a configuration of each world size that came to `results`.
RunView RunWith(const std::map<int, std::string>& results) {
  Records records = {RunRecord(), StartRecord("C-ZERO-001", "shard coverage")};
  Result worst = Result::kNotApplicable;
  std::map<Result, int64_t> configurations;
  for (const auto& [world_size, result] : results) {
    const Result came_to = ResultFromString(result);
    if (came_to > Result::kTooFew && came_to != Result::kHarnessError)
      records.push_back(FailureRecord("C-ZERO-001", world_size, result == "fail" ? "observed" : result));
    records.push_back(ConfigurationRecord("C-ZERO-001", world_size, result, result == "not_applicable" ? 0 : 10));
    worst = Worst(worst, came_to);
    ++configurations[came_to];
  }
  records.push_back(EndRecord("C-ZERO-001", ToString(worst)));
  const Verdict verdict = VerdictOf({.configurations = configurations, .worst_clause = worst});
  return ViewOf(Ended(records, verdict.text, verdict.exit_code));
}

size_t Count(const RunDiff& diff, ChangeKind kind) {
  const auto found = diff.changes.find(kind);
  return found == diff.changes.end() ? 0 : found->second.size();
}

TEST(RunDiff, EqualRunsHaveNoChange) {
  const RunDiff diff = DiffOf(RunWith({{1, "pass"}, {2, "fail"}}), RunWith({{1, "pass"}, {2, "fail"}}));
  EXPECT_TRUE(diff.changes.empty());
  EXPECT_EQ(diff.still_failing, 1);
  EXPECT_EQ(diff.still_passing, 1);
  EXPECT_EQ(diff.exit_code(), 0) << "what failed before is no news";
}

TEST(RunDiff, TellsFourKindsOfChange) {
  struct Row {
    const char *before, *after;
    std::optional<ChangeKind> kind;
    int exit_code;
  };
  const Row table[] = {
      {"pass", "fail", ChangeKind::kNewlyFailing, 1},
      {"pass", "crash", ChangeKind::kNewlyFailing, 1},
      {"pass", "too_few", ChangeKind::kNewlyFailing, 1},
      {"not_applicable", "fail", ChangeKind::kNewlyFailing, 1},
      {"pass", "not_applicable", ChangeKind::kLost, 1},
      {"fail", "not_applicable", ChangeKind::kLost, 1},
      {"fail", "pass", ChangeKind::kNewlyPassing, 0},
      {"hang", "pass", ChangeKind::kNewlyPassing, 0},
      {"not_applicable", "pass", ChangeKind::kNew, 0},
      {"fail", "crash", std::nullopt, 0},
      {"pass", "self_reported", ChangeKind::kLost, 1},
      {"self_reported", "pass", ChangeKind::kNew, 0},
      {"self_reported", "fail", ChangeKind::kNewlyFailing, 1},
      {"self_reported", "self_reported", std::nullopt, 0},
      {"not_applicable", "self_reported", ChangeKind::kNew, 0},
      {"self_reported", "not_applicable", ChangeKind::kLost, 1},
      {"fail", "self_reported", ChangeKind::kNewlyPassing, 0},
      {"not_applicable", "not_applicable", std::nullopt, 0},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(std::string(row.before) + " -> " + row.after);
    const RunDiff diff = DiffOf(RunWith({{3, row.before}, {4, "pass"}}), RunWith({{3, row.after}, {4, "pass"}}));
    for (const ChangeKind kind :
         {ChangeKind::kNewlyFailing, ChangeKind::kLost, ChangeKind::kNewlyPassing, ChangeKind::kNew})
      EXPECT_EQ(Count(diff, kind), row.kind == kind ? 1u : 0u) << ToString(kind);
    EXPECT_EQ(diff.exit_code(), row.exit_code);
  }
}

TEST(RunDiff, AConfigurationThatIsNotThereIsLostOrNew) {
  const RunView one = RunWith({{1, "pass"}}), two = RunWith({{1, "pass"}, {2, "pass"}});
  EXPECT_EQ(Count(DiffOf(two, one), ChangeKind::kLost), 1u);
  EXPECT_EQ(Count(DiffOf(one, two), ChangeKind::kNew), 1u);
}

TEST(RunDiff, WhatBecomesAKnownFailureIsWorseThanAPass) {
  Records known = GreenRecords();
  nlohmann::json failure = FailureRecord("C-ZERO-001", 3);
  failure["expected"] = {{"cases", 1}, {"issue", ""}};
  known[2]["result"] = known[3]["result"] = "expected_failure";
  const RunDiff diff = DiffOf(ViewOf(GreenRecords()), ViewOf(Inserted(known, 2, failure)));
  EXPECT_EQ(Count(diff, ChangeKind::kNewlyFailing), 1u);
}

TEST(RunDiff, AGroupThatEndsBadlyIsNewlyFailing) {
  Records crashed = Inserted(GreenRecords(), 4, GroupEndRecord("shutdown", "crash"));
  crashed.back()["verdict"] = "crash or hang", crashed.back()["exit_code"] = 4;
  const RunView good = ViewOf(GreenRecords()), bad = ViewOf(crashed);
  EXPECT_EQ(DiffOf(good, bad).exit_code(), 1);
  const RunDiff mended = DiffOf(bad, good);
  EXPECT_EQ(mended.exit_code(), 0) << "it is not lost: only a bad end is recorded";
  EXPECT_EQ(Count(mended, ChangeKind::kNewlyPassing), 1u);
}

TEST(RunDiff, ALogWithoutVerdictGivesNone) {
  Records cut = GreenRecords();
  cut.pop_back();
  const RunDiff diff = DiffOf(ViewOf(GreenRecords()), ViewOf(cut));
  EXPECT_EQ(diff.exit_code(), 3);
  EXPECT_TRUE(Has(DiffText(diff, false), "no verdict of the later run: the run was cut off")) << DiffText(diff, false);
  EXPECT_FALSE(Has(DiffText(diff, false), "nothing worse")) << DiffText(diff, false);
}

TEST(RunDiffText, SaysWhatAndWhere) {
  const RunDiff diff = DiffOf(RunWith({{1, "pass"}, {2, "pass"}, {3, "pass"}}),
                              RunWith({{1, "fail"}, {2, "fail"}, {3, "not_applicable"}}));
  const std::string text = DiffText(diff, false);
  EXPECT_TRUE(Has(text, "before: toy 1: conformant\nafter:  toy 1: not conformant\n")) << text;
  EXPECT_TRUE(Has(text,
                  "\nnewly failing: 2\n  C-ZERO-001 shard coverage: pass, now fail under local W=1 fp32, local W=2 "
                  "fp32\n    rank 2 owns nothing"))
      << text;
  EXPECT_TRUE(Has(text, "\nlost (asked or seen before, and not now): 1\n")) << text;
  EXPECT_TRUE(Has(
      text,
      "\nworse: configurations: 2 newly failing, 1 lost, 0 newly passing, 0 new, 0 revised, 0 still failing, 0 still "
      "passing\n"))
      << text;
}

TEST(RunDiffText, NamesOtherConditions) {
  Records other = GreenRecords();
  other.front()["seed"] = 8;
  EXPECT_TRUE(
      Has(DiffText(DiffOf(ViewOf(GreenRecords()), ViewOf(other)), false), "other conditions: seed: 7, then 8\n"));
}

TEST(RunDiffJson, HasEachChangeUnderItsKey) {
  const nlohmann::json diff = ToJson(DiffOf(RunWith({{1, "pass"}, {2, "fail"}}), RunWith({{1, "fail"}, {2, "pass"}})));
  EXPECT_EQ(diff.at("exit_code"), 1);
  EXPECT_EQ(diff.at("changes").at("newly_failing").at(0).at("where"), "local W=1 fp32");
  const nlohmann::json mended = diff.at("changes").at("newly_passing").at(0);
  EXPECT_EQ(mended.at("what"), "C-ZERO-001");
  EXPECT_EQ(mended.at("before").get<std::string>() + ", " + mended.at("after").get<std::string>(), "fail, pass");
  EXPECT_EQ(diff.at("changes").size(), 2u);
}

RunView FailingWith(const std::string& sentence) {
  RunView view = RunWith({{3, "fail"}});
  view.clauses.at(0).configurations.at(0).failures.at(0)["sentence"] = sentence;
  return view;
}

TEST(RunDiff, AnotherSentenceOfAFailureIsSaidAndIsNotWorse) {
  const RunView sum = FailingWith("element 3 of p0 moved by its own gradient times 4");
  const RunDiff other_numbers = DiffOf(sum, FailingWith("element 11 of p2 moved by its own gradient times 8"));
  EXPECT_TRUE(other_numbers.changes.empty()) << "another case of the same fault";
  const RunDiff diff = DiffOf(sum, FailingWith("rank 1 refused step"));
  EXPECT_EQ(Count(diff, ChangeKind::kOther), 1u);
  EXPECT_EQ(diff.still_failing, 1);
  EXPECT_EQ(diff.exit_code(), 0);
  EXPECT_TRUE(Has(DiffText(diff, false), "still failing, in another way: 1\n")) << DiffText(diff, false);
}

TEST(RunDiff, TellsWhatTheSubjectDeclaresNow) {
  Records before = GreenRecords(), after = GreenRecords();
  before.front()["subject"]["capabilities"] = {{"formulas", {{"adam", {{"epsilon", "outside"}}}}}, {"stages", {1, 2}}};
  after.front()["subject"]["capabilities"] = {{"formulas", {{"adam", {{"epsilon", "inside"}}}}}, {"tied", true}};
  const RunDiff diff = DiffOf(ViewOf(before), ViewOf(after));
  EXPECT_EQ(diff.declared.changed, std::vector<std::string>{"formulas.adam.epsilon: outside, then inside"});
  EXPECT_EQ(diff.declared.added, std::vector<std::string>{"tied = true"});
  EXPECT_EQ(diff.declared.removed, std::vector<std::string>{"stages"});
  EXPECT_EQ(diff.exit_code(), 0) << "what comes of it shows in the clauses";
  EXPECT_TRUE(Has(DiffText(diff, false), "\ndeclares what it did not: tied = true\ndeclares no more: stages\n"))
      << DiffText(diff, false);
  EXPECT_FALSE(Has(DiffText(DiffOf(ViewOf(before), ViewOf(before)), false), "declares"));
}

RunView Revised(RunView view, int revision) {
  view.clauses.at(0).revision = revision;
  return view;
}

TEST(RunDiff, AClauseThatAsksForMoreIsNoRegressionOfTheSubject) {
  const RunView before = RunWith({{1, "pass"}, {2, "pass"}, {3, "fail"}});
  const RunView after = RunWith({{1, "not_applicable"}, {2, "fail"}, {3, "pass"}});
  const RunDiff diff = DiffOf(before, Revised(after, 2));
  EXPECT_EQ(diff.revisions, std::vector<std::string>{"C-ZERO-001: revision 1 -> 2"});
  EXPECT_EQ(Count(diff, ChangeKind::kRevised), 2u);
  EXPECT_EQ(Count(diff, ChangeKind::kNewlyPassing), 1u);
  EXPECT_EQ(diff.exit_code(), 0);
  EXPECT_TRUE(Has(DiffText(diff, false), "\nC-ZERO-001: revision 1 -> 2\n")) << DiffText(diff, false);
  EXPECT_EQ(DiffOf(before, after).exit_code(), 1) << "of one revision it is a regression";
  EXPECT_TRUE(DiffOf(before, after).revisions.empty());
}

}  // namespace
}  // namespace zerocts
