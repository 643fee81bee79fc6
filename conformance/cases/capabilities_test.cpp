#include "conformance/cases/capabilities.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/cases/test_spaces.hpp"

namespace zerocts {
namespace {

std::string SentenceFor(const std::string& text) {
  try {
    CapabilitiesFromJson(text);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(Capabilities, RoundTrip) {
  const auto json = ToJson(EverythingCapable());
  EXPECT_EQ(ToJson(CapabilitiesFromJson(json.dump())), json);
}

TEST(Capabilities, WhatIsLeftOutIsNotOffered) {
  const Capabilities c = CapabilitiesFromJson("{}");
  EXPECT_TRUE(c.stages.empty() && c.param_dtypes.empty() && c.optimizers.empty() && c.reduction_orders.empty() &&
              c.states.empty());
  EXPECT_FALSE(c.clip || c.accumulation || c.groups || c.set_group || c.bucket_cap_bytes || c.ranks_as_threads);
  EXPECT_EQ(c.max_world_size, 1);
}

TEST(Capabilities, TheHeadersExampleIsRead) {
  const Capabilities c =
      CapabilitiesFromJson(R"({"stages": [1], "param_dtypes": ["fp32","bf16"], "optimizers": ["sgd","adamw"],
      "world_sizes": [1, 64], "ranks_as_threads": true, "reduction_orders": ["rank"], "plans": ["contiguous"], "bucket_cap_bytes": true,
      "clip": true, "accumulation": true, "groups": true, "set_group": true, "states": ["master","momentum"], "models": ["mlp"],
      "optimizer_slack_bytes": 512})");
  EXPECT_EQ(c.stages, std::vector<int>{1});
  EXPECT_EQ(c.param_dtypes.size(), 2u);
  EXPECT_EQ(c.max_world_size, 64);
  EXPECT_EQ(c.optimizer_slack_bytes, 512);
}

TEST(Capabilities, EveryProblemHasASentenceThatNamesTheField) {
  const std::pair<const char*, const char*> kProblems[] = {
      {"stages: [1]", "capabilities: expected a JSON object"},
      {"[1]", "capabilities: expected"},
      {R"({"stage": [1]})", "stage"},
      {R"({"stages": 1})", "capabilities.stages: expected"},
      {R"({"stages": [4]})", "capabilities.stages[0]: expected a stage from 0 to 3, got 4"},
      {R"({"stages": [1, 1]})", "capabilities.stages[1]: expected every entry once, got 1"},
      {R"({"stages": ["1"]})", "capabilities.stages[0]: expected"},
      {R"({"param_dtypes": ["fp16"]})",
       "capabilities.param_dtypes[0]: precision: expected one of fp32, bf16; got \"fp16\""},
      {R"({"optimizers": [3]})", "capabilities.optimizers[0]: expected some text, got 3"},
      {R"({"optimizers": ["adam"]})",
       "capabilities.optimizers[0]: expected sgd or adamw, the optimizers that zerocts_subject.h has, got \"adam\""},
      {R"({"world_sizes": [4, 2]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [0, 2]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [1]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [1, 4294967297]})", "capabilities.world_sizes: expected two integers"},
      {R"({"reduction_orders": ["any"]})",
       "capabilities.reduction_orders[0]: expected one of rank, ring, tree, got \"any\""},
      {R"({"states": ["m"]})",
       "capabilities.states[0]: expected one of master, momentum, exp_avg, exp_avg_sq, gradient, got \"m\""},
      {R"({"clip": 1})", "capabilities.clip: expected"},
      {R"({"plans": [""]})", "capabilities.plans[0]: expected some text"},
      {R"({"optimizer_slack_bytes": -1})", "capabilities.optimizer_slack_bytes: expected"},
  };
  for (const auto& [text, sentence] : kProblems) {
    EXPECT_NE(SentenceFor(text).find(sentence), std::string::npos) << text << "\n" << SentenceFor(text);
  }
}

}  // namespace
}  // namespace zerocts
