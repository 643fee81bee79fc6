// What a role means for the data and the update.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/semantics_for_test.hpp"

namespace zerocts {
namespace {

TEST(ParameterRoles, SayWhoTakesPart) {
  const ParameterRoles roles = EverythingSet().roles;
  EXPECT_TRUE(roles.IsBuffer(2));
  EXPECT_EQ(roles.OwnerOf(1), 0);
  EXPECT_EQ(roles.OwnerOf(3), 3);
  EXPECT_FALSE(roles.HasState(1) || roles.HasState(2));
  EXPECT_TRUE(roles.HasState(0) && roles.HasState(3));
  for (const int name : {0, 1}) {  // frozen is the storage, in steps 1 and 2
    EXPECT_FALSE(roles.IsFrozen(name, 0) || roles.IsFrozen(name, 3));
    EXPECT_TRUE(roles.IsFrozen(name, 1) && roles.IsFrozen(name, 2));
  }
  EXPECT_FALSE(roles.GivesGradient(1, 0));
  EXPECT_TRUE(roles.GivesGradient(0, 0) && roles.IsUpdated(0, 0, 1));
  EXPECT_FALSE(roles.IsUpdated(0, 1, 1) || roles.IsUpdated(1, 3, 1) || roles.IsUpdated(2, 0, 1));
  EXPECT_EQ(roles.PrecisionOf(3, Precision::kFp32), Precision::kBf16);
  EXPECT_EQ(roles.PrecisionOf(0, Precision::kFp32), Precision::kFp32);

  // A tied storage is updated when any of its names gives a gradient.
  ParameterRoles half = roles;
  half.frozen.clear();
  half.without_gradient = {{0, 0, 2}, {1, 1, 3}};
  EXPECT_TRUE(half.IsUpdated(0, 0, 1));
  EXPECT_FALSE(half.IsUpdated(0, 1, 1));
  EXPECT_TRUE(half.IsUpdated(0, 2, 1));
}

TEST(MixedPrecisions, GiveEachParameterGradientsOfItsOwn) {
  Experiment e;
  e.parameters = {{"a", {64}, 0}, {"b", {64}, 0}};
  e.gradients = GradientSource::kUniform;
  e.roles.precisions = {{1, Precision::kBf16}};
  EXPECT_EQ(NarrowestPrecision(e), Precision::kBf16);
  std::vector<float> wide(64), narrow(64), rounded(64);
  FillGradient(e, 0, 0, 0, wide.data());
  FillGradient(e, 0, 0, 1, narrow.data());
  const auto is_bf16 = [](float x) { return RoundToBf16(x) == x; };
  EXPECT_TRUE(std::all_of(narrow.begin(), narrow.end(), is_bf16));
  EXPECT_FALSE(std::all_of(wide.begin(), wide.end(), is_bf16));

  // Exact codes fit the narrowest of them, hence all.
  e.gradients = GradientSource::kIndexCoded;
  e.world_size = 3;
  for (const int p : {0, 1}) {
    for (int g = 0; g < 3; ++g) {
      FillGradient(e, 0, g, p, rounded.data());
      EXPECT_TRUE(std::all_of(rounded.begin(), rounded.end(), is_bf16));
    }
  }
}

TEST(MissingGradients, AreSomeMicroBatchesOfAName) {
  ParameterRoles roles;
  roles.missing = {{0, 1, 0}, {0, 1, 2}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}};
  EXPECT_TRUE(roles.GivesGradient(0, 0, 0) && roles.GivesGradient(0, 1, 1) && roles.GivesGradient(0, 1));
  EXPECT_FALSE(roles.GivesGradient(0, 1, 0) || roles.GivesGradient(0, 1, 2));
  EXPECT_TRUE(roles.IsUpdated(0, 1, 3));
  EXPECT_FALSE(roles.IsUpdated(1, 1, 3));  // none of the three has one
  EXPECT_TRUE(roles.IsUpdated(1, 1, 4) && roles.IsUpdated(1, 0, 3));
  roles.tied = {{1, 0}};
  roles.without_gradient = {{0, 1, 2}};
  EXPECT_FALSE(roles.IsUpdated(0, 1, 3));
  EXPECT_TRUE(roles.IsUpdated(0, 1, 4));  // by its other name
}

TEST(MissingGradients, AreZeroInTheDataAndAbsentInOldTexts) {
  Experiment e = EverythingSet();
  e.world_size = 3;
  EXPECT_FALSE(ToJson(e)["roles"].contains("missing"));
  e.roles.missing = {{0, 2, 1}, {1, 0, 2}};
  ASSERT_EQ(Problem(e), "");
  EXPECT_EQ(ExperimentFromJson(nlohmann::json::parse(ToJson(e).dump())), e);
  for (int g = 0; g < 3; ++g) {
    std::vector<float> gradient(6, NAN);
    FillGradient(e, 2, g, 0, gradient.data());
    EXPECT_EQ(gradient == std::vector<float>(6), g == 1);
  }
}

TEST(MissingGradients, HaveSentences) {
  ExpectSentences({
      {Set(&ParameterRoles::missing, {{4, 0, 0}}),
       "roles.missing[0].parameter: expected an index into the 4 parameters, got 4"},
      {Set(&ParameterRoles::missing, {{2, 0, 0}}),
       "roles.missing[0].parameter: expected a parameter that is no buffer, got 2"},
      {Set(&ParameterRoles::missing, {{0, 4, 0}}), "roles.missing[0].step: expected 0 to 3, got 4"},
      {Set(&ParameterRoles::missing, {{0, 0, 0}, {0, 0, 1}}), "roles.missing[1].g: expected 0 to 0, got 1"},
      {Set(&ParameterRoles::missing, {{0, 0, 0}, {0, 0, 0}}),
       "roles.missing[1].g: expected every micro-batch once, got 0"},
  });
}

}  // namespace
}  // namespace zerocts
