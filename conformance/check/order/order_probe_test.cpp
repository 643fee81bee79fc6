#include "conformance/check/order/order_probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/order/candidate_folds.hpp"

namespace zerocts {
namespace {

Case ProbedCase(int world_size, int micro_batches = 1, GradientSync sync = GradientSync::kLastMicroBatch,
                Precision precision = Precision::kFp32) {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {3}, 0}, {"b", {7, 5}, 0}, {"none", {0}, 0}, {"c", {}, 0}};
  e.world_size = world_size;
  e.micro_batches = micro_batches;
  e.precision = precision;
  e.steps = 2;
  e.gradients = GradientSource::kUniform;
  c.gradient_sync = sync;
  c.reduction_order = "probed";
  c.observe_gradient = true;
  return c;
}

/// Another fold for every element and step, in turn.
std::vector<ReductionOrder> MixedOrders(const Case& c, size_t first) {
  const std::vector<Fold> folds = CandidateFolds(ShapeOf(c));
  std::vector<ReductionOrder> orders;
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    ReductionOrder& order = orders.emplace_back(ReductionOrder{{}, c.gradient_sync});
    for (int64_t i = 0; i < TotalNumel(c.experiment); ++i)
      order.ranges.push_back({i, i + 1, folds[first++ % folds.size()]});
  }
  return orders;
}

using Shown = std::vector<std::vector<RankObservation>>;  // [run]

Shown ShownBy(const OrderProbe& probe, const std::vector<ReductionOrder>& orders) {
  Shown shown;
  for (const Case& run : probe.runs()) {
    shown.push_back(PerfectObservation(run, ExpectedOf(run, orders), ContiguousOwnership(run)));
  }
  return shown;
}

/// The revealed folds may be others, of the same bits.
void ExpectSameBits(const Case& c, const std::vector<ReductionOrder>& orders, const OrderProbe::Revealed& revealed) {
  ASSERT_FALSE(revealed.finding) << revealed.finding->sentence;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Case other = c;
    other.experiment.seed = seed;
    const Expected expected = ExpectedOf(other, orders), got = ExpectedOf(other, revealed.order_of_step);
    for (size_t step = 0; step < expected.steps.size(); ++step) {
      ASSERT_EQ(got.steps[step].gradient, expected.steps[step].gradient)
          << Summary(c) << ", seed " << seed << ", step " << step;
    }
  }
}

TEST(CandidateFolds, AreAllTreesOfFourRanksAndChainsOfMore) {
  EXPECT_EQ(CandidateFolds({.world_size = 1}).size(), 1u);
  EXPECT_EQ(CandidateFolds({.world_size = 2}).size(), 1u);
  EXPECT_EQ(CandidateFolds({.world_size = 3}).size(), 18u);  // 3 trees, 4 ways to divide; 6 fused chains
  EXPECT_EQ(CandidateFolds({.world_size = 4}).size(), 15u);
  EXPECT_EQ(CandidateFolds({.world_size = 8}).size(), 17u);
  EXPECT_EQ(CandidateFolds({.world_size = 6, .replicas = 2}).size(), 12u);
  std::vector<std::string> texts;
  for (const Fold& fold : CandidateFolds({.world_size = 3, .micro_batches = 2})) texts.push_back(ToString(fold));
  for (const char* fold : {"(((0+1)+(2+3))+(4+5))/3", "(((0+1)+(2+3))+(4+5))*(1/3)", "(((0+1)/3+(2+3)/3)+(4+5)/3)",
                           "(((0+1)*(1/3)+(4+5)*(1/3))+(2+3)*(1/3))", "((0+1)/3+((2+3)/3+(4+5)/3))",
                           "fma((0+1), 1/3, fma((4+5), 1/3, (2+3)*(1/3)))"}) {
    EXPECT_EQ(std::ranges::count(texts, fold), 1) << fold;
  }
  texts.clear();
  for (const Fold& fold : CandidateFolds({.world_size = 3, .micro_batches = 2, .sync = GradientSync::kEveryMicroBatch}))
    texts.push_back(ToString(fold));
  for (const char* fold : {"(((0+2)+4)/3+((1+3)+5)/3)", "((0/3+(2/3+4/3))+(1/3+(3/3+5/3)))",
                           "(fma(4, 1/3, fma(2, 1/3, 0*(1/3)))+fma(5, 1/3, fma(3, 1/3, 1*(1/3))))"}) {
    EXPECT_EQ(std::ranges::count(texts, fold), 1) << fold;
  }
}

TEST(OrderProbe, RevealsEveryCandidateFromItsOwnMeans) {
  for (const int world_size : {3, 4, 5, 6, 7, 8}) {
    for (const int micro_batches : {1, 2, 4}) {
      for (const GradientSync sync : {GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch}) {
        for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
          const Case c = ProbedCase(world_size, micro_batches, sync, precision);
          const OrderProbe probe(c);
          EXPECT_GE(probe.runs().size(), 1u);
          EXPECT_LE(probe.runs().size(), 4u) << Summary(c);
          for (const size_t first : {0u, 23u}) {
            const auto orders = MixedOrders(c, first);
            ExpectSameBits(c, orders, probe.Reveal(ShownBy(probe, orders)));
          }
        }
      }
    }
  }
}

TEST(OrderProbe, TellsAllTreesAndDivisionsOfThreeAndFourRanksApart) {
  for (const int world_size : {3, 4}) {
    const Case c = ProbedCase(world_size);
    const OrderProbe probe(c);
    for (const Fold& fold : CandidateFolds(ShapeOf(c))) {
      const auto revealed = probe.Reveal(ShownBy(probe, {UniformOrder(c.experiment, fold)}));
      ASSERT_FALSE(revealed.finding) << revealed.finding->sentence;
      for (const ReductionOrder& order : revealed.order_of_step) {
        ASSERT_EQ(order.ranges.size(), 1u);
        EXPECT_EQ(ToString(order.ranges.front().fold), ToString(fold));
      }
    }
  }
}

TEST(OrderProbe, AsksForNothingButTheMean) {
  Case c = ProbedCase(3);
  c.read_before_step = c.read_twice = c.observe_memory = c.observe_traffic = true;
  const OrderProbe probe(c);
  for (const Case& run : probe.runs()) {
    const std::vector<RankObservation> ranks =
        PerfectObservation(run, ExpectedOf(run, MixedOrders(c, 0)), ContiguousOwnership(run));
    for (const TensorRecord& record : ranks.front().tensors) EXPECT_EQ(record.what, "gradient");
    EXPECT_FALSE(ranks.front().tensors.empty() || run.read_before_step || run.observe_memory || run.observe_traffic);
  }
}

TEST(OrderProbe, NeedsNoRunWhereNothingShows) {
  for (const int world_size : {1, 2}) {
    const OrderProbe probe(ProbedCase(world_size));
    EXPECT_TRUE(probe.runs().empty());
    EXPECT_EQ(probe.Reveal({}).order_of_step.at(1).ranges.size(), 1u);
  }
}

TEST(OrderProbe, SeesThroughMissingAndTiedGradients) {
  Case c = ProbedCase(4, 2);
  Experiment& e = c.experiment;
  e.parameters.push_back({"a2", {3}, 0});
  e.roles.tied = {{4, 0}};
  e.roles.missing = {{0, 0, 1}, {1, 1, 0}, {1, 1, 1}, {3, 0, 5}};
  e.roles.frozen = {{3, 1, 2}};
  const OrderProbe probe(c);
  for (const size_t first : {0u, 5u, 11u}) {
    const auto orders = MixedOrders(c, first);
    ExpectSameBits(c, orders, probe.Reveal(ShownBy(probe, orders)));
  }
}

std::string SentenceFor(const OrderProbe& probe, const Shown& shown) {
  const auto finding = probe.Reveal(shown).finding;
  return finding ? finding->sentence : "";
}

TensorRecord& Gradient(Shown& shown, size_t run, size_t rank, int64_t step) {
  return *std::ranges::find_if(shown[run][rank].tensors,
                               [&](const TensorRecord& r) { return r.what == "gradient" && r.step == step; });
}

TEST(OrderProbe, FailsWhereNoOrderGivesWhatWasShown) {
  const Case c = ProbedCase(3);
  const OrderProbe probe(c);
  Shown shown = ShownBy(probe, {UniformOrder(c.experiment, RankFold(3, 1))});
  EXPECT_EQ(SentenceFor(probe, shown), "");
  TensorRecord& gradient = Gradient(shown, 1, 1, 1);
  gradient.values[2] *= 2;
  const std::string sentence = SentenceFor(probe, shown);
  EXPECT_NE(sentence.find("in step 1, the mean of probe data in element 12 of b: "), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("which no order of adding 3 ranks gives: expected one of "), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(" others"), std::string::npos) << sentence;
  gradient.values[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(SentenceFor(probe, shown).find("nan"), std::string::npos);
}

TEST(OrderProbe, FailsWhereOwnersDisagreeOrShowNothing) {
  Case c = ProbedCase(3);
  c.stage = 0;
  const OrderProbe probe(c);
  const Shown agreed = ShownBy(probe, {UniformOrder(c.experiment, RankFold(3, 1))});
  Shown shown = agreed;
  Gradient(shown, 0, 2, 0).values[1] += 1;
  EXPECT_NE(SentenceFor(probe, shown).find("element 1 of a: rank 1 shows "), std::string::npos)
      << SentenceFor(probe, shown);
  shown = agreed;
  for (RankObservation& rank : shown[0]) {
    std::erase_if(rank.tensors, [](const TensorRecord& r) { return r.what == "gradient" && r.parameter == 3; });
  }
  EXPECT_NE(SentenceFor(probe, shown).find("element 0 of c: expected its owner to show it, nobody did"),
            std::string::npos)
      << SentenceFor(probe, shown);
}

}  // namespace
}  // namespace zerocts
