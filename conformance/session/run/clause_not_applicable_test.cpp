// Where CheckClause does not ask a clause, because nothing would be about it.
#include <gtest/gtest.h>

#include <set>

#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(CheckClause, WithoutAnApplicableConfigurationIsNotApplicableAndSkipped) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.stages = {0};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 77);
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_NE(outcome.Of("configuration").at(0).at("reason").get<std::string>().find("needs: stage 1"),
            std::string::npos);
}

TEST(CheckClause, AsksOnlyTheConfigurationsThatCanHaveWhatIsEssential) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(session, kSatisfied, "C-ZERO-056");
  EXPECT_EQ(outcome.clause_result(), "pass");
  for (const json& configuration : outcome.Of("configuration")) {
    const bool asked = configuration.at("precision") == "bf16";
    EXPECT_EQ(configuration.at("result"), asked ? "pass" : "not_applicable");
    EXPECT_EQ(configuration.at("reason"), asked ? "" : "needs: bf16");
    EXPECT_EQ(configuration.at("asked_elsewhere"), !asked);
    EXPECT_EQ(configuration.at("asked"), configuration.at("cases"));
  }
  const json end = outcome.Of("clause_end").at(0);
  EXPECT_EQ(end.at("asked"), (json{{"cases", 100}, {"features", {{"bf16", 100}}}}));
  EXPECT_EQ(end.at("needs"), json::array()) << "what other configurations have is not missing";
}

TEST(CheckClause, IsNotApplicableWithoutWhatIsEssential) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.replicas = false;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, kSatisfied, "C-ZERO-016");
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_EQ(outcome.exit_code, 77);
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("needs").at(0), "needs: replicas");
  for (const json& configuration : outcome.Of("configuration")) EXPECT_EQ(configuration.at("asked_elsewhere"), false);
}

/// Why no configuration of the clause was judged.
std::set<std::string> ReasonsIn(const SessionSettings& settings, const std::string& clause) {
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, kSatisfied, clause);
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  std::set<std::string> reasons;
  for (const json& configuration : outcome.Of("configuration")) reasons.insert(configuration.at("reason"));
  return reasons;
}

TEST(CheckClause, SaysWhichOptionLeftItOut) {
  SessionSettings settings = TestSettings();
  settings.precisions = {Precision::kFp32};
  EXPECT_EQ(ReasonsIn(settings, "C-ZERO-056"), std::set<std::string>{"left out by --precision fp32"});
  settings.info.capabilities.param_dtypes = {Precision::kFp32};
  EXPECT_EQ(ReasonsIn(settings, "C-ZERO-056"), std::set<std::string>{"needs: bf16"}) << "no run of it has them";

  settings = TestSettings();
  settings.world_sizes = {1};
  EXPECT_EQ(ReasonsIn(settings, "C-ZERO-016"), std::set<std::string>{"left out by --ranks 1"});

  settings = TestSettings();
  const Constraint offload{"offload", {"full"}, {{"offload", {"full"}}}},
      lamb{"optimizer", {"lamb"}, {{"optimizer", {"lamb"}}}};
  settings.constraints = {offload, lamb};
  EXPECT_EQ(ReasonsIn(settings, "C-ZERO-010"), std::set<std::string>{"left out by --optimizer lamb"})
      << "not by an option that leaves it cases";
}

TEST(CheckClause, TakesAPassBackWhereNoCaseHadAllThatIsEssential) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  CaseSpace space = FindClauseCheck("C-ZERO-021").space();
  space.keep = [](const Case& c) {
    const Experiment& e = c.experiment;
    const bool low = e.precision == Precision::kBf16 || e.accumulation == Precision::kBf16;
    return low != (e.micro_batches > 1);
  };
  const CheckedClause outcome = Check(session, kSatisfied, space);
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_EQ(outcome.exit_code, 77);
  for (const json& configuration : outcome.Of("configuration")) {
    EXPECT_EQ(configuration.at("result"), "not_applicable");
    EXPECT_EQ(configuration.at("reason"), "no case that ran had accumulation and (bf16 or bf16_accumulation)");
  }
}

}  // namespace
}  // namespace zerocts
