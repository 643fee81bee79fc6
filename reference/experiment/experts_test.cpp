// Who has which parameters, what their data are, and what is said of experts that make no sense.
#include "reference/experiment/experts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/semantics_for_test.hpp"

namespace zerocts {
namespace {

/// W = 6, K = 2, E = 3: ranks 1 and 4, whose micro-batches are 2, 3, 8 and 9, have expert 1.
Experiment WithExperts() {
  Experiment e;
  e.parameters = {{"dense", {64}, 0}, {"expert", {64}, 0}};
  e.world_size = 6;
  e.micro_batches = 2;
  e.experts = {3, {{1, 1}}};
  return e;
}

constexpr int64_t kThere[] = {2, 3, 8, 9};

TEST(Experts, AreOnEveryEthRank) {
  const Experiment e = WithExperts();
  ASSERT_EQ(Problem(e), "");
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_TRUE(e.experts.Has(rank, 0));
    EXPECT_EQ(e.experts.Has(rank, 1), rank == 1 || rank == 4);
  }
  EXPECT_EQ(MicroBatchesWith(e, 0), 12);
  EXPECT_EQ(MicroBatchesWith(e, 1), 4);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(MicroBatchWith(e, 1, i), kThere[i]);
  EXPECT_EQ(MicroBatchWith(e, 0, 7), 7);
}

TEST(Experts, HaveNoGradientFromOtherRanks) {
  Experiment e = WithExperts();
  for (int64_t g = 0; g < 12; ++g) {
    EXPECT_TRUE(GivesGradient(e, 0, 0, g));
    EXPECT_EQ(GivesGradient(e, 1, 0, g), std::ranges::count(kThere, g) == 1);
  }
  EXPECT_TRUE(IsUpdated(e, 1, 0));
  for (const int64_t g : {2, 3, 8}) e.roles.missing.push_back({1, 0, g});
  EXPECT_TRUE(IsUpdated(e, 1, 0));
  e.roles.missing.push_back({1, 0, 9});
  EXPECT_EQ(Problem(e), "");
  EXPECT_FALSE(IsUpdated(e, 1, 0));  // the other eight never had one
}

/// Every element of a one-hot gradient comes from a micro-batch that has the parameter, and all of them give some.
TEST(Experts, HaveOneHotGradientsFromTheirOwnRanks) {
  Experiment e = WithExperts();
  e.gradients = GradientSource::kOneHot;
  std::set<int64_t> givers;
  std::vector<int> count(64);
  for (int64_t g = 0; g < 12; ++g) {
    std::vector<float> gradient(64);
    FillGradient(e, 0, g, 1, gradient.data());
    for (size_t i = 0; i < 64; ++i) {
      if (gradient[i] == 0) continue;
      givers.insert(g);
      ++count[i];
    }
  }
  EXPECT_EQ(givers, std::set<int64_t>(std::begin(kThere), std::end(kThere)));
  EXPECT_EQ(count, std::vector<int>(64, 1));
}

/// The norm of the mean is 5, wherever its two elements lie.
TEST(Experts, HaveWholePythagoreanGradients) {
  Experiment e = WithExperts();
  e.gradients = GradientSource::kPythagorean;
  e.experts.parameters = {{0, 0}, {1, 1}};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    e.seed = seed;
    double squares = 0;
    for (int64_t g = 0; g < 12; ++g) {
      for (const int p : {0, 1}) {
        std::vector<float> gradient(64);
        FillGradient(e, 0, g, p, gradient.data());
        for (const float value : gradient) squares += double{value / 12} * double{value / 12};
      }
    }
    EXPECT_EQ(squares, 25.0);
  }
}

TEST(Experts, TravelAsJsonAndAreAbsentInOldTexts) {
  EXPECT_FALSE(ToJson(EverythingSet()).contains("experts"));
  const Experiment e = WithExperts();
  EXPECT_EQ(ToJson(e)["experts"].dump(), R"({"count":3,"parameters":[{"expert":1,"parameter":1}]})");
  EXPECT_EQ(ExperimentFromJson(nlohmann::json::parse(ToJson(e).dump())), e);
  Experiment of_group = e;
  of_group.experts.divisor = ExpertDivisor::kGroup;
  EXPECT_EQ(ToJson(of_group)["experts"]["divisor"], "group");
  EXPECT_EQ(ExperimentFromJson(nlohmann::json::parse(ToJson(of_group).dump())), of_group);
}

/// Whole numbers of micro-batches of all ranks, or of its own.
TEST(Experts, GiveWholeMeansByEitherDivisor) {
  Experiment e = WithExperts();
  EXPECT_EQ(MicroBatchesOfMean(e, 1), 12);
  e.experts.divisor = ExpertDivisor::kGroup;
  EXPECT_EQ(MicroBatchesOfMean(e, 0), 12);
  EXPECT_EQ(MicroBatchesOfMean(e, 1), 4);
  e.gradients = GradientSource::kOneHot;
  std::vector<float> mean(64);
  for (int64_t g = 0; g < 12; ++g) {
    std::vector<float> gradient(64);
    FillGradient(e, 0, g, 1, gradient.data());
    for (size_t i = 0; i < 64; ++i) mean[i] += gradient[i] / 4;
  }
  const bool all_whole = std::ranges::all_of(mean, [](float value) { return value == std::trunc(value); });
  EXPECT_TRUE(all_whole);
  EXPECT_TRUE(std::ranges::any_of(mean, [](float value) { return std::fmod(value, 3.0f) != 0; }));
}

/// An experiment with an MLP that has E experts in its last hidden layer.
Experiment WithModel(int experts) {
  Experiment e;
  e.world_size = 6;
  e.micro_batches = 2;
  e.gradients = GradientSource::kModel;
  e.initial = InitialValues::kModel;
  e.groups.resize(2);
  e.batch = 2;
  e.text = "text";
  e.text_hash = std::string(32, '0');
  SetModel(e, MlpSpec{.vocab = 5, .context = 2, .embedding = 3, .hidden = {4, 2}, .experts = experts});
  return e;
}

TEST(Experts, OfAModelAreThoseOfItsLayers) {
  const Experiment e = WithModel(3);
  EXPECT_EQ(Problem(e), "");
  EXPECT_EQ(e.experts, (Experts{3, {{3, 0}, {4, 0}, {5, 1}, {6, 1}, {7, 2}, {8, 2}}}));
  Experiment of_group = e;
  of_group.experts.divisor = ExpertDivisor::kGroup;
  EXPECT_EQ(Problem(of_group), "");
  std::vector<int> experts;
  for (int64_t g = 0; g < 12; ++g) experts.push_back(ExpertOfMicroBatch(e, g));
  EXPECT_EQ(experts, (std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(ToJson(e)["model"].dump(), R"({"mlp":{"context":2,"embedding":3,"experts":3,"hidden":[4,2],"vocab":5}})");
  EXPECT_EQ(ExperimentFromJson(nlohmann::json::parse(ToJson(e).dump())), e);
  EXPECT_FALSE(ToJson(WithModel(1))["model"]["mlp"].contains("experts"));
}

TEST(Experts, OfAModelHaveSentences) {
  const auto expect = [](int experts, const Spoil& spoil, const std::string& sentence) {
    Experiment e = WithModel(experts);
    spoil(e);
    EXPECT_EQ(Problem(e), sentence);
  };
  expect(3, Set(&Experiment::experts, {}), "experts.count: expected the 3 of the model's own layers, got 1");
  expect(1, Set(&Experiment::experts, {2, {{1, 0}}}), "experts.count: expected the 1 of the model's own layers, got 2");
  expect(
      3, [](Experiment& e) { e.experts.parameters.pop_back(); },
      "experts.parameters: expected those of the model's own layers, got others");
  expect(
      4, [](Experiment&) {}, "experts.count: expected a divisor of the world size 6, got 4");
  const auto mlp = [](Experiment& e) -> MlpSpec& { return std::get<MlpSpec>(*e.model); };
  expect(
      3, [&](Experiment& e) { mlp(e).experts = 0; }, "model.mlp.experts: expected 1 to 2^10, got 0");
  expect(
      3, [&](Experiment& e) { mlp(e).hidden.clear(); },
      "model.mlp.experts: expected 1 where there is no hidden layer, got 3");
  expect(
      3, [&](Experiment& e) { mlp(e).slice_order.slices = 2; },
      "model.mlp.experts: expected 1 where layers are for tensor ranks to split, got 3");
}

TEST(Experts, HaveSentences) {
  const auto expect = [](const Spoil& spoil, const std::string& sentence) {
    Experiment e = WithExperts();
    spoil(e);
    EXPECT_EQ(Problem(e), sentence);
  };
  expect([](Experiment& e) { e.experts.count = 4; }, "experts.count: expected a divisor of the world size 6, got 4");
  expect([](Experiment& e) { e.experts.count = 0; }, "experts.count: expected a divisor of the world size 6, got 0");
  expect([](Experiment& e) { e.experts.count = 1; },
         "experts.parameters[0]: expected none where experts.count is 1, got 1");
  expect(Set(&Experiment::experts, {1, {}, ExpertDivisor::kGroup}),
         "experts.divisor: expected world where experts.count is 1, got \"group\"");
  expect([](Experiment& e) { e.experts.parameters[0].parameter = 2; },
         "experts.parameters[0].parameter: expected an index into the 2 parameters, got 2");
  expect([](Experiment& e) { e.experts.parameters[0].expert = 3; },
         "experts.parameters[0].expert: expected 0 to 2, got 3");
  expect(
      [](Experiment& e) {
        e.experts.parameters.push_back({1, 0});
      },
      "experts.parameters[1].parameter: expected every parameter once, got 1");
  expect(Set(&ParameterRoles::buffers, {1}),
         "experts.parameters[0].parameter: expected a parameter that is no buffer, got 1");
  expect(Set(&ParameterRoles::tied, {{1, 0}}),
         "roles.tied[0].parameter: expected the expert of its owner dense, got \"expert\"");
  expect(Set(&Experiment::planted, {{0, 4, 1, 0, NonFinite::kNan}}),
         "planted[0].g: expected a micro-batch of a rank that has the parameter's expert, got 4");
  expect(Set(&ParameterRoles::missing, {{1, 0, 10}}),
         "roles.missing[0].g: expected a micro-batch of a rank that has the parameter's expert, got 10");
}

}  // namespace
}  // namespace zerocts
