// What is to be probed: judged by bits in an order that the subject never named.
#include "conformance/contract/judging.hpp"

#include <gtest/gtest.h>

#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"

namespace zerocts {
namespace {

Case RandomData(const std::string& order) {
  Case c{.clause = "C-ZERO-050"};
  Experiment& e = c.experiment;
  e.parameters = {{"a", {5}, 0}, {"b", {7, 11}, 0}, {"c", {}, 0}};
  e.gradients = GradientSource::kUniform;
  e.world_size = 3;
  e.micro_batches = 2;
  e.steps = 2;
  c.fidelity = Fidelity::kDeclaredOrder;
  c.reduction_order = order;
  c.observe_gradient = true;
  return c;
}

/// Ranks that add in the order of a ring, whatever the case calls it.
RunResult RunRing(const Case& c) {
  Case ring = c;
  ring.reduction_order = "ring";
  const Ownership owned = ContiguousOwnership(c);
  RunResult result;
  result.ranks = PerfectObservation(c, ExpectedOf(c, OrderOf(ring, owned)), owned);
  return result;
}

using Ranks = std::function<RunResult(const Case&)>;

std::string SentenceFor(const Ranks& ranks, const Case& c) {
  const Capabilities can;
  Trial trial(ranks, can);
  const auto finding = JudgeAgainstReference(trial, c);
  return finding ? finding->sentence : "";
}

TEST(AgainstReference, RevealsARingThatWasNotDeclared) {
  int runs = 0;
  const Ranks ring = [&runs](const Case& c) {
    ++runs;
    return RunRing(c);
  };
  EXPECT_EQ(SentenceFor(ring, RandomData("ring")), "");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(SentenceFor(ring, RandomData("probed")), "");
  EXPECT_GT(runs, 2);
  EXPECT_NE(SentenceFor(ring, RandomData("rank")), "");
}

TEST(AgainstReference, FailsWhereTheProbeFindsNoOrder) {
  const Ranks twice = [](const Case& c) {
    RunResult result = RunRing(c);
    for (TensorRecord& record : result.ranks[1].tensors) {
      if (record.what == "gradient" && c.experiment.gradients == GradientSource::kOrderProbe) record.values[0] *= 2;
    }
    return result;
  };
  EXPECT_NE(SentenceFor(twice, RandomData("probed")).find("which no order of adding 3 ranks gives"), std::string::npos);
}

TEST(AgainstReference, FailsWhereTheOrderIsNotThatOfTheProbe) {
  const Ranks fickle = [](const Case& c) {
    if (c.experiment.gradients == GradientSource::kOrderProbe) return RunRing(c);
    RunResult result;
    Case rank = c;
    rank.reduction_order = "rank";
    result.ranks = PerfectObservation(rank);
    return result;
  };
  EXPECT_NE(SentenceFor(fickle, RandomData("probed")), "");
}

TEST(AgainstReference, ACrashWhileProbingIsACrash) {
  const Ranks dies = [](const Case& c) {
    if (c.experiment.gradients != GradientSource::kOrderProbe) return RunRing(c);
    return RunResult{.ending = Ending::kCrash, .message = "rank 2 died"};
  };
  EXPECT_THROW(SentenceFor(dies, RandomData("probed")), RunEnded);
}

TEST(AgainstReference, ExactInputsNeedNoProbe) {
  int runs = 0;
  const Ranks ring = [&runs](const Case& c) {
    ++runs;
    return RunRing(c);
  };
  Case c = RandomData("probed");
  c.experiment.gradients = GradientSource::kIndexCoded;
  EXPECT_EQ(SentenceFor(ring, c), "");
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace zerocts
