// How far CheckClause shrinks a failure, and what it says of the smallest case.
#include <gtest/gtest.h>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/check/cause/hints.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// What is found in a subject that divides by W and forgets K.
std::optional<Finding> FindsSumsOverMicroBatches(Trial&, const Case& c) {
  const int K = c.experiment.micro_batches;
  if (K == 1) return std::nullopt;
  Divergence divergence;
  Hint hint = FactorHint(1, static_cast<float>(K), c.world_size(), K, c.replicas);
  divergence.note = hint.text;
  divergence.factors = hint.factors;
  return Finding{"differs", divergence};
}

/// One rank with the same K would be told "W * K: a sum instead of the mean, or as well K".
TEST(CheckClause, ShrinksNoFurtherThanTheHintOfAFailureStaysTheSame) {
  SessionSettings settings = TestSettings();
  settings.world_sizes = {5};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, FindsSumsOverMicroBatches, "C-ZERO-020");
  const std::string divergence = outcome.Of("failure").at(0).at("divergence");
  EXPECT_NE(divergence.find("wrong by K: not divided by the number of micro-batches?"), std::string::npos);
  EXPECT_EQ(divergence.find("W * K"), std::string::npos) << divergence;
  const Case smallest = LoadCase(outcome.Of("failure").at(0).at("case_file"));
  EXPECT_GT(smallest.world_size(), 1);
  EXPECT_NE(smallest.world_size(), smallest.experiment.micro_batches);
  EXPECT_EQ(smallest.experiment.parameters.size(), 1u);
}

/// As many wrong things as there are ranks, of which none may be lost.
TEST(CheckClause, ShrinksToACaseThatNamesAsManyThings) {
  SessionSettings settings = TestSettings();
  settings.world_sizes = {5};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, [](Trial&, const Case& c) {
    return std::optional(Finding{"takes all", std::nullopt, static_cast<size_t>(c.world_size())});
  });
  const Case smallest = LoadCase(outcome.Of("failure").at(0).at("case_file"));
  EXPECT_EQ(smallest.world_size(), 5);
  EXPECT_EQ(smallest.experiment.parameters.size(), 1u);
}

TEST(CheckClause, FailsShrinksAndSavesTheCase) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(session, [](Trial&, const Case& c) -> std::optional<Finding> {
    if (TotalNumel(c.experiment) < 5 || c.world_size() < 2) return std::nullopt;
    return Finding{"too large for this judge", std::nullopt};
  });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.clause_result(), "fail");
  const json failure = outcome.Of("failure").at(0);
  EXPECT_EQ(failure.at("sentence"), "too large for this judge");
  const Case smallest = LoadCase(failure.at("case_file"));
  EXPECT_EQ(ToJson(smallest), failure.at("case"));
  EXPECT_EQ(smallest.world_size(), 2);
  EXPECT_EQ(TotalNumel(smallest.experiment), 5);
  EXPECT_EQ(smallest.experiment.steps, 1);
  const std::set<std::string> drawn = failure.at("drawn_features"), left = FeaturesOf(smallest);
  EXPECT_NE(drawn, left) << "it says what the case had before it shrank";
  EXPECT_TRUE(drawn.contains("several_ranks"));
  EXPECT_EQ(outcome.configuration_results(), (std::vector<std::string>{"not_applicable", "not_applicable", "fail",
                                                                       "fail", "fail", "fail", "fail", "fail"}));
}

/// A right subject may fail in the simpler case.
TEST(CheckClause, ShrinksToNoFailureInOtherWords) {
  SessionSettings settings = TestSettings();
  settings.world_sizes = {3};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, [](Trial&, const Case& c) {
    if (c.world_size() < 3) return std::optional(Finding{"the heap grew by 3413556", std::nullopt});
    return std::optional(Finding{fmt::format("element {} has no owner", TotalNumel(c.experiment)), std::nullopt});
  });
  const json failure = outcome.Of("failure").at(0);
  const Case smallest = LoadCase(failure.at("case_file"));
  EXPECT_EQ(smallest.world_size(), 3);
  EXPECT_EQ(failure.at("sentence"), "element 1 has no owner");
}

TEST(CheckClause, ShrinksToACaseThatIsAboutTheClause) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(
      session,
      [](Trial&, const Case&) {
        return std::optional(Finding{"never", std::nullopt});
      },
      "C-ZERO-001");
  const json failure = outcome.Of("failure").at(0);
  EXPECT_EQ(LoadCase(failure.at("case_file")).world_size(), 2) << "one rank fails too, and divides nothing";
}

TEST(CheckClause, DoesNotShrinkWhenToldNotTo) {
  SessionSettings settings = TestSettings();
  settings.shrink = false;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  int judged = 0;
  const CheckedClause outcome = Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    ++judged;
    return Finding{"never", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").size(), 6u);
  EXPECT_EQ(judged, 6);
  EXPECT_FALSE(outcome.Of("failure").at(0).contains("drawn_features"));
}

TEST(CheckClause, KeepsShrinkingInsideItsBudget) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  int judged = 0;
  Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    ++judged;
    return Finding{"never", std::nullopt};
  });
  EXPECT_LE(judged, 1 + 200 + 7 * (1 + 20));
}

TEST(CheckClause, KeepsAFailureWhenTheHarnessBreaksWhileShrinking) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  int judged = 0;
  const CheckedClause outcome = Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    if (++judged > 1) throw HarnessError("no more sockets");
    return Finding{"found first", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").at(0).at("sentence"), "found first");
  EXPECT_EQ(outcome.exit_code, 1);
}

}  // namespace
}  // namespace zerocts
