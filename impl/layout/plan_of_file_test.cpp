// The engine's layout of a plan file gives each element to whom the plan gives it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "impl/layout/for_test/owners.hpp"
#include "impl/layout/plans.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/runs/shard_at.hpp"

namespace zerocts::engine {
namespace {

plan::Plan Dividing(const std::vector<int64_t>& numel, const plan::Division& division, int shards) {
  plan::Plan plan{.mesh = HybridMesh(2, shards), .shardings = {{{"shard"}, {division}}}, .sharding_of = {0, 0, 0}};
  for (size_t p = 0; p < numel.size(); ++p)
    plan.model.push_back({.name = "p" + std::to_string(p), .shape = {numel[p]}});
  plan.shardings[0].divisions[0].tensors = {{0, static_cast<int32_t>(numel.size())}};
  return plan;
}

PlanRequest ForPlan(const plan::Plan& plan, const std::string& name, int shards) {
  PlanRequest request{.plan = name, .shards = shards};
  for (const plan::Tensor& tensor : plan.model) request.parameters.push_back({tensor.name, tensor.shape});
  return request;
}

std::string SavedAs(const plan::Plan& plan, const std::string& name) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) / name).string();
  std::ofstream(path) << plan::JsonText(plan);
  return std::string(kPlanFilePrefix) + path;
}

RC_GTEST_PROP(PlanOfAFile, GivesEachElementToItsOwner, ()) {
  const int shards = *rc::gen::inRange(1, 6);
  const auto numel = *rc::gen::container<std::vector<int64_t>>(4, rc::gen::inRange<int64_t>(0, 20));
  std::vector<int32_t> owners;
  for (size_t p = 0; p < numel.size(); ++p) owners.push_back(*rc::gen::inRange(0, shards));
  const std::vector<plan::Division> divisions = {
      {.each = true, .rule = plan::Even{}},          {.each = false, .rule = plan::Even{}},
      {.each = true, .rule = plan::Ceil{}},          {.each = false, .rule = plan::Ceil{}, .offset_alignment = 4},
      {.each = true, .rule = plan::Owners{owners}},  {.each = true, .rule = plan::BlockCyclic{3}},
      {.each = false, .rule = plan::BlockCyclic{2}},
  };
  const plan::Plan plan = Dividing(numel, *rc::gen::elementOf(divisions), shards);
  PlanRequest request = ForPlan(plan, SavedAs(plan, "plan_of_a_file.json"), shards);
  request.bucket_numel = *rc::gen::inRange(0, 30);

  const Layout layout = MakeLayout(request);
  RC_ASSERT(Problem(layout) == "");
  RC_ASSERT(layout.shards() == shards);
  const auto owner_of = OwnersByElement(layout);
  const plan::ShardLookup lookup(plan, plan::State::kOptimizer);
  for (size_t p = 0; p < numel.size(); ++p)
    for (int64_t i = 0; i < numel[p]; ++i) RC_ASSERT(owner_of[p][i] == lookup.ShardOf(static_cast<int32_t>(p), i));
}

/// Where the model has a place for every name, and where it has one for each tensor.
TEST(PlanOfAFile, GivesNothingToAnotherName) {
  plan::Plan plan = Dividing({5, 7}, {.rule = plan::Even{}}, 3);
  plan.model.insert(plan.model.begin() + 1, {.name = "again", .shape = {5}, .tied_to = 0});
  plan.shardings[0].divisions[0].tensors = {{0, 1}, {2, 3}};
  PlanRequest request = ForPlan(plan, SavedAs(plan, "tied.json"), 3);
  request.parameters[1].shape = {0};
  EXPECT_EQ(OwnersByElement(MakeLayout(request)),
            (std::vector<std::vector<int>>{{0, 0, 1, 1, 2}, {}, {0, 0, 0, 1, 1, 2, 2}}));
  request.parameters.erase(request.parameters.begin() + 1);
  EXPECT_EQ(OwnersByElement(MakeLayout(request)),
            (std::vector<std::vector<int>>{{0, 0, 1, 1, 2}, {0, 0, 0, 1, 1, 2, 2}}));
}

std::string RefusalOfFile(const PlanRequest& request) {
  try {
    MakeLayout(request);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "not refused";
}

TEST(PlanOfAFile, IsRefusedWhereItDoesNotFit) {
  const plan::Plan plan = Dividing({5, 7}, {.rule = plan::Even{}}, 3);
  const std::string file = SavedAs(plan, "plan.json");
  EXPECT_EQ(RefusalOfFile(ForPlan(plan, file, 2)), "plan file: it has 3 shards: expected 2, as many as this run");

  PlanRequest other = ForPlan(plan, file, 3);
  other.parameters[1].shape = {8};
  EXPECT_EQ(RefusalOfFile(other),
            "plan file: its tensor p1 has 7 elements of its own: expected 8, as parameter p1 has");
  other.parameters.pop_back();
  EXPECT_EQ(RefusalOfFile(other), "plan file: it divides 2 tensors: expected the 1 of this model");
  std::ofstream(file.substr(kPlanFilePrefix.size())) << "{\"format\": 1}";
  EXPECT_NE(RefusalOfFile(ForPlan(plan, file, 3)).find("plan.json: plan.format: expected"), std::string::npos);
  EXPECT_NE(RefusalOfFile(ForPlan(plan, "file:/no/such/file", 3)).find("expected a file that can be read"),
            std::string::npos);
}

TEST(PlanOfAFile, IsRefusedWhereItIsNotSound) {
  plan::Plan plan = Dividing({5, 7}, {.each = false, .rule = plan::Intervals{{{.begin = 0, .end = 4, .shard = 1}}}}, 3);
  EXPECT_NE(RefusalOfFile(ForPlan(plan, SavedAs(plan, "gap.json"), 3)).find("it is not sound: P1 coverage"),
            std::string::npos);
}

TEST(PlanOfAFile, IsRefusedWhereStatesAreDividedDifferently) {
  plan::Plan plan = Dividing({5, 7}, {.rule = plan::Even{}}, 3);
  plan.shardings.push_back(plan.shardings[0]);
  plan.shardings[1].divisions[0].rule = plan::Owners{{0, 2}};
  plan.sharding_of = {0, 1, 1};
  EXPECT_EQ(RefusalOfFile(ForPlan(plan, SavedAs(plan, "two.json"), 3)),
            "plan file: it divides gradients of p0 unlike another state: this engine divides all states alike");
}

TEST(PlanOfAFile, IsRefusedWhereShardsAreOtherRanks) {
  plan::Plan plan = Dividing({5, 7}, {.rule = plan::Even{}}, 3);
  std::swap(plan.mesh.axes[0], plan.mesh.axes[1]);
  EXPECT_NE(RefusalOfFile(ForPlan(plan, SavedAs(plan, "mesh.json"), 3)).find("rank 1 has shard 0: expected shard 1"),
            std::string::npos);
}

TEST(PlanOfAFile, PutsFrozenTensorsIntoShard0) {
  plan::Plan plan = Dividing({5, 7}, {.rule = plan::Even{}}, 3);
  plan.model[1].frozen = true;
  plan.shardings[0].divisions[0].tensors = {{0, 1}};
  plan.sharding_of = {plan::Plan::kWhole, plan::Plan::kWhole, 0};
  const Layout layout = MakeLayout(ForPlan(plan, SavedAs(plan, "frozen.json"), 3));
  EXPECT_EQ(OwnersByElement(layout)[0], (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(OwnersByElement(layout)[1], std::vector<int>(7, 0));
}

}  // namespace
}  // namespace zerocts::engine
