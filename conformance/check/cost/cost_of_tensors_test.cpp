#include "conformance/check/cost/cost_of_tensors.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

constexpr int64_t kStepsOfACase = 3;

Case OfTensors(int tensors) {
  Case c;
  c.experiment.steps = kStepsOfACase;
  return InTensors(c, tensors);
}

/// Two ranks, each of which makes `calls` and takes `us` in each step.
CostOfTensors Cost(int tensors, uint64_t calls, double us = 100) {
  const Case c = OfTensors(tensors);
  std::vector<RankObservation> ranks(2);
  for (RankObservation& rank : ranks) {
    for (int64_t step = 0; step < kStepsOfACase; ++step) {
      rank.traffic.push_back({step, {calls, 640, 640}, {}, {}, {}});
      rank.resources.push_back({.step = step, .call = "step", .cpu_ns = static_cast<int64_t>(us * 1000)});
    }
  }
  return {c, ranks};
}

std::string Counts(uint64_t of_8, uint64_t of_64) {
  const auto finding = CheckCountsInTensors(Cost(8, of_8), Cost(64, of_64));
  return finding ? finding->sentence : "nothing";
}

TEST(CostOfTensors, TheElementsStayAndTheirNumberOfTensorsIsAsSaid) {
  const Case c = OfTensors(64);
  ASSERT_EQ(c.experiment.parameters.size(), 64u);
  EXPECT_EQ(c.experiment.parameters[63].numel() * 64, OfTensors(8).experiment.parameters[0].numel() * 8);
}

TEST(CostOfTensors, CallsMayGrowInProportionOrStay) {
  EXPECT_EQ(Counts(3, 3), "nothing");
  EXPECT_EQ(Counts(8, 64), "nothing");
  EXPECT_EQ(Counts(0, 20), "nothing") << "fewer than there are tensors";
}

TEST(CostOfTensors, ACallForEachPairIsFound) {
  EXPECT_EQ(Counts(28, 2016),
            "a step of 8 tensors takes 56 collective calls on all ranks, one of 64 tensors with as many elements 4032: "
            "expected at most 8 times as many");
}

TEST(CostOfTensors, CpuTimeIsJudgedWhereItsRangeIsOnOneSideOfTheLimit) {
  const auto judged = [](std::vector<double> few, std::vector<double> many) -> std::string {
    std::vector<CostOfTensors> of_few, of_many;
    for (const double us : few) of_few.push_back(Cost(64, 1, us));
    for (const double us : many) of_many.push_back(Cost(512, 1, us));
    Evidence evidence;
    if (const auto finding = CheckCpuInTensors(of_few, of_many, evidence)) return finding->sentence;
    return evidence.not_measured().empty() ? "passes" : "not measured";
  };
  EXPECT_EQ(judged({100, 120}, {800, 1000}), "passes");
  EXPECT_EQ(judged({100, 300}, {1000, 3000}), "not measured");
  EXPECT_EQ(judged({0}, {0}), "not measured");
  const std::string sentence = judged({100, 150}, {6400, 8000});
  EXPECT_NE(sentence.find("42.7 times as much or more"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace zerocts
