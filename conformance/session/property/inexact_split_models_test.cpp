// The clauses of split layers against stand-ins for ranks whose models are inexact: an MLP is walked with a bound.
#include <gtest/gtest.h>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/essential.hpp"
#include "conformance/session/for_test/run_one_configuration.hpp"
#include "conformance/session/for_test/test_session.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {
namespace {

using SplitRanks = std::vector<RankObservation>;

constexpr const char* kBoundedClauses[] = {"C-ZERO-120", "C-ZERO-121", "C-ZERO-122", "C-ZERO-123"};

/// As torch is: layers are split in parts of ceil(m / T), by 2 ranks or more.
SessionSettings InexactSettings() {
  SessionSettings settings = TestSettings();
  Capabilities& can = settings.info.capabilities;
  can.inexact_models = can.inexact_norm = true;
  can.reduction_orders.clear();
  can.states.push_back("gradient");
  can.tensor_parallel = {2, 4};
  can.tensor_parts = {PartSizes::kCeil};
  return settings;
}

ConfigurationOutcome RunInexact(const std::string& clause_id,
                                const std::function<void(const Case&, SplitRanks&)>& fault) {
  const Runner runner = [&](const Configuration&, const Case& c) {
    EXPECT_TRUE(c.fidelity == Fidelity::kBounded && c.tensor > 1 && c.tensor_parts == PartSizes::kCeil) << c;
    RunResult result;
    result.ranks = PerfectObservation(c);
    fault(c, result.ranks);
    return result;
  };
  return RunOneConfiguration(clause_id, InexactSettings(), 4, 20, runner);
}

std::string SentenceOfInexact(const std::string& clause_id,
                              const std::function<void(const Case&, SplitRanks&)>& fault) {
  const ConfigurationOutcome outcome = RunInexact(clause_id, fault);
  return outcome.failure ? outcome.failure->finding.sentence : outcome.reason;
}

TEST(InexactSplitModels, PassWithoutAFault) {
  for (const std::string clause : kBoundedClauses) {
    const ConfigurationOutcome outcome = RunInexact(clause, [](const Case&, SplitRanks&) {});
    EXPECT_TRUE(Passes(outcome.result)) << clause << (outcome.failure ? outcome.failure->finding.sentence : "");
    EXPECT_EQ(outcome.random_cases, 20) << clause;
  }
}

TEST(InexactSplitModels, AreNotAskedForATiedGpt) {
  const SessionSettings settings = InexactSettings();
  const Configuration configuration{LauncherKind::kThreads, 4, Precision::kFp32};
  const CaseSpace space = SpaceFor(FindClauseCheck("C-ZERO-124").space(), settings.info.capabilities);
  EXPECT_NE(MissingForClause(FindClause("C-ZERO-124"), space, configuration, settings).text, "");
  const CaseSpace of_120 = SpaceFor(FindClauseCheck("C-ZERO-120").space(), settings.info.capabilities);
  EXPECT_EQ(MissingForClause(FindClause("C-ZERO-120"), of_120, configuration, settings).text, "");
}

/// The last elements of every tensor that is read after a step.
void MoveUpdates(SplitRanks& ranks, float factor) {
  for (RankObservation& rank : ranks) {
    for (TensorRecord& record : rank.tensors) {
      const bool is_updated = record.what == "parameter" || record.what == "master";
      if (is_updated && record.step >= 0 && !record.values.empty()) record.values.back() *= factor;
    }
  }
}

TEST(InexactSplitModels, FailWhereAnUpdateIsBeyondItsBound) {
  const std::string sentence =
      SentenceOfInexact("C-ZERO-120", [](const Case&, SplitRanks& ranks) { MoveUpdates(ranks, 1.01f); });
  EXPECT_NE(sentence.find("is beyond the bound of exact arithmetic"), std::string::npos) << sentence;
  EXPECT_NE(SentenceOfInexact("C-ZERO-123", [](const Case&, SplitRanks& ranks) { MoveUpdates(ranks, 1.01f); }), "");
}

TEST(InexactSplitModels, FailWhereTheyAreCutEvenly) {
  const auto cut_evenly = [](const Case& c, SplitRanks& ranks) {
    Case even = c;
    even.tensor_parts = PartSizes::kEven;
    ranks = PerfectObservation(even);
  };
  const std::string sentence = SentenceOfInexact("C-ZERO-120", cut_evenly);
  EXPECT_TRUE(sentence.find("are not owned by") != std::string::npos ||
              sentence.find("outside of the part") != std::string::npos)
      << sentence;
}

TEST(InexactSplitModels, FailWhereTensorRanksHaveOtherBits) {
  const auto another_bit = [](const Case&, SplitRanks& ranks) {
    for (TensorRecord& record : ranks.back().tensors) {
      if (record.what == "parameter" && record.step >= 0 && !record.values.empty()) record.values.back() += 1e-6f;
    }
  };
  EXPECT_EQ(RunInexact("C-ZERO-121", another_bit).result, Result::kFail);
}

TEST(InexactSplitModels, FailWhereTheNormCountsSomethingTwice) {
  const std::string sentence = SentenceOfInexact("C-ZERO-122", [](const Case&, SplitRanks& ranks) {
    for (RankObservation& rank : ranks) {
      for (StepScalars& step : rank.scalars) step.grad_norm *= 1.01f;
    }
  });
  EXPECT_EQ(sentence.find("grad_norm on rank 0 is beyond the bound of exact arithmetic"), 0u) << sentence;
}

}  // namespace
}  // namespace zerocts
