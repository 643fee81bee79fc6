#include "conformance/report/view/verdict_of_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/view/endings.hpp"

namespace zerocts {
namespace {

int ExitCode(std::map<Result, int64_t> configurations, Result worst_clause = Result::kPass) {
  return VerdictOf({.configurations = std::move(configurations), .worst_clause = worst_clause}).exit_code;
}

TEST(VerdictOfRun, IsConformantOnlyWhenSomethingPassedAndNothingElseHappened) {
  EXPECT_EQ(ExitCode({{Result::kPass, 3}}), 0);
  EXPECT_EQ(ExitCode({{Result::kPass, 3}, {Result::kNotApplicable, 5}}), 0);
  EXPECT_EQ(ExitCode({{Result::kPass, 3}, {Result::kFail, 1}}, Result::kFail), 1);
  EXPECT_EQ(ExitCode({{Result::kPass, 3}, {Result::kHarnessError, 1}}, Result::kHarnessError), 3);
  EXPECT_EQ(ExitCode({{Result::kPass, 3}, {Result::kCrash, 1}}, Result::kCrash), 4);
  EXPECT_EQ(ExitCode({{Result::kPass, 3}, {Result::kTooFew, 1}}, Result::kTooFew), 6);
}

TEST(VerdictOfRun, HearsAMissedMinimumThoughEveryConfigurationPassed) {
  EXPECT_EQ(ExitCode({{Result::kPass, 8}}, Result::kTooFew), 6);
}

TEST(VerdictOfRun, OfNothingIsNotGreen) {
  EXPECT_EQ(ExitCode({}, Result::kNotApplicable), 77);
  EXPECT_EQ(ExitCode({{Result::kNotApplicable, 4}}, Result::kNotApplicable), 77);
}

TEST(VerdictOfRun, PutsAFindingBeforeACrashAndACrashBeforeTooFew) {
  EXPECT_EQ(ExitCode({{Result::kFail, 1}, {Result::kCrash, 1}}, Result::kCrash), 1);
  EXPECT_EQ(ExitCode({{Result::kRefused, 1}, {Result::kHarnessError, 1}}, Result::kHarnessError), 1);
  EXPECT_EQ(ExitCode({{Result::kHang, 1}, {Result::kTooFew, 9}}, Result::kHang), 4);
}

TEST(VerdictOfRun, HearsOfACrashAfterTheLastCase) {
  RunSummary run{.configurations = {{Result::kPass, 3}}, .worst_clause = Result::kPass, .worst_group = Result::kCrash};
  EXPECT_EQ(VerdictOf(run).exit_code, 4);
  run.worst_group = Result::kHang;
  EXPECT_EQ(VerdictOf(run).exit_code, 4);
  run.worst_clause = Result::kFail;
  EXPECT_EQ(VerdictOf(run).exit_code, 1);
}

TEST(VerdictOfRun, CountsExceptions) {
  const RunSummary excused{.configurations = {{Result::kPass, 2}, {Result::kExpected, 1}},
                           .worst_clause = Result::kExpected,
                           .exceptions = 2};
  EXPECT_EQ(VerdictOf(excused).text, "conformant with 2 exceptions");
  EXPECT_EQ(VerdictOf(excused).exit_code, 0);
  EXPECT_EQ(
      VerdictOf({.configurations = {{Result::kPass, 1}}, .worst_clause = Result::kPass, .partial = "world size 3 only"})
          .text,
      "conformant, partial: world size 3 only");
}

TEST(VerdictOfRun, SaysHowMuchWasJudgedAndWhichProfilesWereReached) {
  RunSummary run{.configurations = {{Result::kPass, 1}}, .worst_clause = Result::kPass, .judged = 1, .clauses = 56};
  EXPECT_EQ(VerdictOf(run).text, "conformant; 1 of 56 clauses judged");
  run.profiles = {{"zero-1", 3, 3, 3}, {"zero-2", 2, 2, 3}, {"reshard", 0, 0, 1}, {"cost", 4, 4, 4}};
  EXPECT_EQ(VerdictOf(run).text, "conformant; 1 of 56 clauses judged; profiles reached: zero-1, cost");
  run.profiles.resize(3);
  run.profiles.erase(run.profiles.begin());
  EXPECT_EQ(VerdictOf(run).text, "conformant; 1 of 56 clauses judged; profiles reached: none");
}

TEST(VerdictOfRun, SaysHowMuchNobodyButTheSubjectSaw) {
  RunSummary run{.configurations = {{Result::kPass, 1}, {Result::kSelfReported, 1}},
                 .worst_clause = Result::kSelfReported,
                 .judged = 2,
                 .clauses = 56,
                 .self_reported = 1,
                 .profiles = {{"zero-1", 3, 3, 3}, {"cost", 2, 4, 4, {"C-ZERO-100", "C-ZERO-101"}}}};
  EXPECT_EQ(VerdictOf(run).exit_code, 0);
  EXPECT_EQ(VerdictOf(run).text,
            "conformant; 2 of 56 clauses judged, 1 of these self-reported; profiles reached: zero-1; "
            "self-reported: cost (C-ZERO-100, C-ZERO-101)");
  run.required = {"zero-1", "cost"};
  EXPECT_EQ(VerdictOf(run).exit_code, 1) << "required is in full, and seen";
  EXPECT_EQ(VerdictOf(run).text,
            "not conformant; required, and not reached: cost self-reported (C-ZERO-100, C-ZERO-101)");
}

TEST(VerdictOfRun, IsNotConformantWithoutAProfileThatIsRequired) {
  RunSummary run{.configurations = {{Result::kPass, 1}},
                 .worst_clause = Result::kPass,
                 .profiles = {{"zero-1", 3, 3, 3}, {"zero-2", 2, 3, 3}, {"reshard", 0, 0, 1}},
                 .required = {"zero-1"}};
  EXPECT_EQ(VerdictOf(run).exit_code, 0);
  run.required = {"zero-1", "zero-2", "reshard"};
  const Verdict verdict = VerdictOf(run);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.text, "not conformant; required, and not reached: zero-2 in part (2 of 3), reshard not claimed");
  run.worst_clause = Result::kNotApplicable;
  run.configurations.clear();
  EXPECT_EQ(VerdictOf(run).exit_code, 1) << "nothing was applicable, and something was required";
  run.worst_clause = Result::kHarnessError;
  EXPECT_EQ(VerdictOf(run).exit_code, 3) << "what the suite itself broke says nothing of the subject";
}

TEST(Profiles, CountClausesThatPassedWithTheirFeature) {
  const std::vector<ProfilePlan> plans = {{"zero-2", "stage2", {"A", "B"}}, {"cost", "", {"A"}}};
  const auto texts = [&](const std::map<std::string, ClauseShown>& shown) {
    std::vector<std::string> out;
    for (const ProfileReached& profile : ProfilesReached(plans, shown)) out.push_back(profile.Text());
    return out;
  };
  using Texts = std::vector<std::string>;
  const ClauseShown with{Result::kPass, {{"stage2", 3}}}, without{Result::kPass, {{"stage2", 0}}};
  EXPECT_EQ(texts({}), (Texts{"zero-2 not claimed", "cost not claimed"}));
  EXPECT_EQ(texts({{"A", with}, {"B", with}}), (Texts{"zero-2 in full", "cost in full"}));
  EXPECT_EQ(texts({{"A", with}, {"B", without}}), (Texts{"zero-2 in part (1 of 2)", "cost in full"}));
  EXPECT_EQ(texts({{"A", without}, {"B", without}}), (Texts{"zero-2 not claimed", "cost in full"}));
  EXPECT_EQ(texts({{"A", {Result::kFail, {{"stage2", 1}}}}}),
            (Texts{"zero-2 in part (0 of 2)", "cost in part (0 of 1)"}));
  const ClauseShown self_reported{Result::kSelfReported, {{"stage2", 3}}};
  EXPECT_EQ(texts({{"A", with}, {"B", self_reported}}), (Texts{"zero-2 self-reported (B)", "cost in full"}));
  EXPECT_EQ(texts({{"A", self_reported}}), (Texts{"zero-2 in part (0 of 2)", "cost self-reported (A)"}));
  EXPECT_EQ(texts({{"A", {Result::kNotApplicable, {}}}}), (Texts{"zero-2 not claimed", "cost not claimed"}));
  EXPECT_EQ(texts({{"A", {Result::kExpected, {}}}}).back(), "cost in part (0 of 1)") << "a known failure is no pass";
}

TEST(VerdictOfRun, OfSeveralRunsIsTheGravest) {
  EXPECT_EQ(GravestExitCode({0, 77}), 0);
  EXPECT_EQ(GravestExitCode({77}), 77);
  EXPECT_EQ(GravestExitCode({0, 3, 6}), 3);
  EXPECT_EQ(GravestExitCode({1, 3, 4}), 1);
}

TEST(VerdictOfRun, OfAnInterruptedRunSaysWhatItFoundSoFar) {
  const auto verdict = [](Result worst) { return VerdictOf({.worst_clause = worst, .interrupted = "SIGTERM"}); };
  EXPECT_EQ(verdict(Result::kTooFew), (Verdict{"interrupted by SIGTERM; so far nothing failed", 130}));
  EXPECT_EQ(verdict(Result::kHang), (Verdict{"interrupted by SIGTERM; so far crash or hang", 130}));
  EXPECT_EQ(VerdictOf({.worst_clause = Result::kPass,
                       .profiles = {{"zero-1", 2, 3, 3}},
                       .required = {"zero-1"},
                       .interrupted = "SIGTERM"})
                .text,
            "interrupted by SIGTERM; so far nothing failed");
  EXPECT_EQ(GravestExitCode({0, 6, 130}), 130);
  EXPECT_EQ(GravestExitCode({1, 130}), 1);
}

TEST(VerdictOfRun, IsStaleWhenAnExpectationNoLongerHolds) {
  EXPECT_EQ(VerdictOf({.configurations = {{Result::kPass, 2}}, .worst_clause = Result::kPass, .stale = 1}).exit_code,
            5);
  EXPECT_EQ(ExitCode({{Result::kStale, 1}, {Result::kTooFew, 1}}, Result::kStale), 5);
  EXPECT_EQ(ExitCode({{Result::kStale, 1}, {Result::kFail, 1}}, Result::kFail), 1);
}

TEST(Endings, HaveAResultAndAnExitCodeEach) {
  for (int ending = 0; ending <= static_cast<int>(Ending::kBreach); ++ending)
    EXPECT_EQ(EntryOf(static_cast<Ending>(ending)).ending, static_cast<Ending>(ending));
  const auto exit_code = [](Ending ending) { return ExitCodeOf(ResultOf(ending)); };
  EXPECT_EQ(exit_code(Ending::kObserved), kExitConformant);
  EXPECT_EQ(exit_code(Ending::kUnsupported), kExitNothingApplicable);
  for (const Ending ending : {Ending::kCrash, Ending::kEarlyExit, Ending::kHang})
    EXPECT_EQ(exit_code(ending), kExitCrashOrHang);
  for (const Ending ending : {Ending::kRefused, Ending::kGarbage, Ending::kDisagreement, Ending::kBreach})
    EXPECT_EQ(exit_code(ending), kExitNotConformant);
}

TEST(ExitCodes, ComeInAscendingOrderWithANameEach) {
  EXPECT_EQ(std::ranges::adjacent_find(kExitCodes, std::ranges::greater_equal(), &ExitCodeMeaning::code),
            std::end(kExitCodes));
  for (const ExitCodeMeaning& entry : kExitCodes) {
    EXPECT_STREQ(NameOf(entry.code), entry.name);
    EXPECT_STRNE(entry.meaning, "") << entry.name;
  }
}

}  // namespace
}  // namespace zerocts
