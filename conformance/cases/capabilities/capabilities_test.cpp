#include "conformance/cases/capabilities/capabilities.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/cases/for_test/test_spaces.hpp"
#include "reference/experiment/bad_json_for_test.hpp"

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

TEST(Capabilities, WhatIsLeftOutIsNotDeclared) {
  const Capabilities c = CapabilitiesFromJson("{}");
  EXPECT_TRUE(c.stages.empty() && c.param_dtypes.empty() && c.optimizers.empty() && c.reduction_orders.empty() &&
              c.states.empty());
  EXPECT_FALSE(c.clip || c.accumulation || c.groups || c.set_group || c.bucket_cap_bytes || c.ranks_as_threads);
  EXPECT_EQ(c.max_world_size, 1);
  EXPECT_FALSE(c.replicas || c.frozen || c.missing_gradients || c.tied || c.buffers || c.mixed_dtypes ||
               c.sgd_variants || c.overlap || c.timeline || c.events || c.traffic || c.memory_estimate ||
               c.checkpoint || c.checkpoint_reshard);
  EXPECT_EQ(c.gradient_sync, std::vector{GradientSync::kLastMicroBatch});
  EXPECT_EQ(c.accumulation_dtypes, std::vector{Precision::kFp32});
  EXPECT_EQ(c.reduce_dtypes, std::vector{Precision::kFp32});
  EXPECT_EQ(c.clip_norms, std::vector{NormKind::kTwo});
  EXPECT_EQ(c.clip_formulas, std::vector{ClipFormula::kMin});
  EXPECT_EQ(c.offload, std::vector{Offload::kNone});
  EXPECT_EQ(c.losses, std::vector{LossShape::kLinear});
  EXPECT_EQ(c.tensor_parallel, std::vector{1});
  EXPECT_EQ(c.tensor_parts, std::vector{PartSizes::kEven});
  EXPECT_EQ(c.expert_divisors, std::vector{ExpertDivisor::kWorld});
  EXPECT_TRUE(c.loss_scaling.empty());
}

TEST(Capabilities, EveryEntryOfTheHeaderIsRead) {
  const Capabilities c = CapabilitiesFromJson(R"({"optimizers": ["adam", "lamb"], "replicas": true,
      "gradient_sync": ["last_micro_batch","every_micro_batch"], "accumulation_dtypes": ["fp32","bf16"], "reduce_dtypes": ["bf16"],
      "clip_norms": ["2","1","inf"], "clip_formulas": ["min","torch","above","deepspeed","deepspeed_fp64","deepspeed_reciprocal"], "loss_scaling": ["static","dynamic"],
      "frozen": true, "missing_gradients": true, "tied": true, "buffers": true, "mixed_dtypes": true,
      "sgd_variants": true, "offload": ["none","params","full"], "overlap": true, "timeline": true, "events": true, "traffic": true,
      "memory_estimate": true, "checkpoint": true, "checkpoint_reshard": true,
       "losses": ["linear","quadratic"], "models": ["mlp"], "tensor_parallel": [1, 2, 3, 4], "tensor_parts": ["even", "ceil"],
       "checkpoint_tensor": true, "vocab_parallel": true, "sequence_parallel": true, "kv_heads": true, "experts": true,
       "expert_replicas": true, "expert_divisors": ["world", "group"]})");
  const Capabilities everything = EverythingCapable();
  EXPECT_EQ(c.optimizers, (std::vector{OptimizerKind::kAdam, OptimizerKind::kLamb}));
  EXPECT_EQ(c.reduce_dtypes, std::vector{Precision::kBf16});
  EXPECT_EQ(c.accumulation_dtypes, everything.accumulation_dtypes);
  EXPECT_EQ(c.gradient_sync, everything.gradient_sync);
  EXPECT_EQ(c.clip_norms, everything.clip_norms);
  EXPECT_EQ(c.clip_formulas, everything.clip_formulas);
  EXPECT_EQ(c.loss_scaling, everything.loss_scaling);
  EXPECT_EQ(c.offload, everything.offload);
  EXPECT_EQ(c.losses, everything.losses);
  EXPECT_EQ(c.tensor_parallel, everything.tensor_parallel);
  EXPECT_EQ(c.tensor_parts, everything.tensor_parts);
  EXPECT_EQ(c.expert_divisors, everything.expert_divisors);
  EXPECT_TRUE(c.replicas && c.frozen && c.missing_gradients && c.tied && c.buffers && c.mixed_dtypes &&
              c.sgd_variants && c.overlap && c.timeline && c.events && c.traffic && c.memory_estimate && c.checkpoint &&
              c.checkpoint_reshard && c.checkpoint_tensor && c.vocab_parallel && c.sequence_parallel && c.kv_heads &&
              c.experts && c.expert_replicas);
}

TEST(Capabilities, WhereASubjectIsNotAsOurReferenceIsRead) {
  const Capabilities ours = CapabilitiesFromJson("{}");
  EXPECT_TRUE(ours.formulas.empty() && !ours.device_memory && !ours.inexact_mean && !ours.inexact_norm &&
              !ours.inexact_models && ours.scalars && ours.empty_parameters && !ours.no_empty_ranks);
  EXPECT_EQ(ours.granularity, Granularity::kElement);
  EXPECT_EQ(ours.parameters_per_unit, 0);
  EXPECT_EQ(ours.min_replicas, 1);
  const Capabilities c = CapabilitiesFromJson(R"({"formulas": {"adamw": {"decay": "before", "products": "rounded"}},
      "inexact_mean": true, "inexact_norm": true, "inexact_models": true, "granularity": "row", "parameters_per_unit": 2, "shapes": ["empty"],
      "replicas": true, "min_replicas": 2, "device_memory": true, "no_empty_ranks": true})");
  EXPECT_EQ(FormulaOf(c, OptimizerKind::kAdamW),
            (OptimizerFormula{.decay = DecayPosition::kBefore, .products = ProductRounding::kRounded}));
  EXPECT_EQ(FormulaOf(c, OptimizerKind::kSgd), OptimizerFormula{});
  EXPECT_TRUE(c.device_memory && c.inexact_mean && c.inexact_norm && c.inexact_models && !c.scalars &&
              c.empty_parameters && c.no_empty_ranks);
  EXPECT_EQ(c.granularity, Granularity::kRow);
  EXPECT_EQ(c.parameters_per_unit, 2);
  EXPECT_EQ(c.min_replicas, 2);
  EXPECT_EQ(ToJson(CapabilitiesFromJson(ToJson(c).dump())), ToJson(c));
}

TEST(Capabilities, AFormulaWithoutWordsIsJudgedBySelfParityAlone) {
  const Capabilities c =
      CapabilitiesFromJson(R"({"optimizers": ["sgd", "adamw", "adam"], "formulas": {"adam": "own", "adamw": {}}})");
  EXPECT_EQ(c.own_formulas, std::vector{OptimizerKind::kAdam});
  EXPECT_EQ(ToJson(CapabilitiesFromJson(ToJson(c).dump())), ToJson(c));
  for (const Fidelity fidelity :
       {Fidelity::kBitwise, Fidelity::kDeclaredOrder, Fidelity::kExactInputs, Fidelity::kBounded}) {
    EXPECT_FALSE(IsJudgedBy(fidelity, OptimizerKind::kAdam, c));
    EXPECT_TRUE(IsJudgedBy(fidelity, OptimizerKind::kAdamW, c));
  }
  EXPECT_TRUE(IsJudgedBy(Fidelity::kSelfParity, OptimizerKind::kAdam, c) &&
              IsJudgedBy(Fidelity::kSelfParity, OptimizerKind::kAdamW, c));
}

TEST(Capabilities, ModelsAreJudgedByWhatIsSaidOfThem) {
  const auto judged = [](const char* text) {
    const Capabilities c = CapabilitiesFromJson(text);
    std::string by;
    if (AreModelsJudgedBy(Fidelity::kDeclaredOrder, c)) by += "bits ";
    if (AreModelsJudgedBy(Fidelity::kBounded, c)) by += "bound ";
    if (AreModelsJudgedBy(Fidelity::kSelfParity, c)) by += "parity ";
    return by;
  };
  EXPECT_EQ(judged("{}"), "bits bound parity ");
  EXPECT_EQ(judged(R"({"inexact_models": true})"), "bound ");
  EXPECT_EQ(judged(R"({"own_models": true})"), "parity ");
  EXPECT_EQ(judged(R"({"inexact_models": true, "own_models": true})"), "bound parity ");
}

TEST(Capabilities, OrdersHoldForThePrecisionsThatAreDeclared) {
  const std::vector<std::string> rank = {"rank"};
  Capabilities c = CapabilitiesFromJson(R"({"reduction_orders": ["rank"]})");
  for (const Precision precision : {Precision::kFp32, Precision::kBf16})
    EXPECT_EQ(AtPrecision(c, precision).reduction_orders, rank);
  c = CapabilitiesFromJson(R"({"reduction_orders": ["rank"], "ordered_dtypes": ["fp32"]})");
  EXPECT_EQ(AtPrecision(c, Precision::kFp32), c);
  EXPECT_TRUE(AtPrecision(c, Precision::kBf16).reduction_orders.empty());
  EXPECT_EQ(CapabilitiesFromJson(ToJson(c).dump()), c);
  EXPECT_EQ(DeclaredOf(c).dump(), R"({"ordered_dtypes":["fp32"],"reduction_orders":["rank"]})");
}

TEST(Capabilities, FollowTheOptionsThatAreGiven) {
  const std::string text = R"({"clip": true, "with_option": {"math=fast": {"own_models": true, "clip": false}}})";
  const Capabilities plain = CapabilitiesFromJson(text),
                     other = CapabilitiesFromJson(text, {{"math", "exact"}, {"fast", "math"}});
  EXPECT_TRUE(plain.clip && !plain.own_models);
  EXPECT_EQ(other, plain);
  const Capabilities fast = CapabilitiesFromJson(text, {{"device", "cuda"}, {"math", "fast"}});
  EXPECT_TRUE(!fast.clip && fast.own_models);
}

TEST(Capabilities, AreDeclaredWhereTheyAreMoreThanNothing) {
  const Capabilities c = CapabilitiesFromJson(R"({"stages": [1], "clip": true, "gradient_sync": ["last_micro_batch"],
      "reduce_dtypes": ["fp32", "bf16"], "frozen": false})");
  EXPECT_EQ(DeclaredOf(c).dump(), R"({"clip":true,"reduce_dtypes":["fp32","bf16"],"stages":[1]})");
  EXPECT_EQ(DeclaredOf(EverythingCapable()).size(), 48u);
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
      {"stages: [1]", "capabilities: line 1, column 1: expected a value, got \"s\""},
      {"[1]", "capabilities: expected"},
      {R"({"stage": [1]})", "stage"},
      {R"({"stages": 1})", "capabilities.stages: expected"},
      {R"({"stages": [4]})", "capabilities.stages[0]: expected a stage from 0 to 3, got 4"},
      {R"({"stages": [1, 1]})", "capabilities.stages[1]: expected every entry once, got 1"},
      {R"({"stages": ["1"]})", "capabilities.stages[0]: expected"},
      {R"({"param_dtypes": ["fp16"]})",
       "capabilities.param_dtypes[0]: precision: expected one of fp32, bf16; got \"fp16\""},
      {R"({"optimizers": [3]})", "capabilities.optimizers[0]: expected some text, got 3"},
      {R"({"optimizers": ["adagrad"]})",
       "capabilities.optimizers[0]: optimizer: expected one of sgd, adamw, adam, lamb, muon; got \"adagrad\""},
      {R"({"gradient_sync": ["never"]})",
       "capabilities.gradient_sync[0]: gradient_sync: expected one of last_micro_batch, every_micro_batch; got "
       "\"never\""},
      {R"({"reduce_dtypes": ["fp16"]})",
       "capabilities.reduce_dtypes[0]: reduction: expected one of fp32, bf16; got \"fp16\""},
      {R"({"clip_norms": [2]})", "capabilities.clip_norms[0]: expected some text, got 2"},
      {R"({"loss_scaling": ["none"]})", "capabilities.loss_scaling[0]: expected static or dynamic, got \"none\""},
      {R"({"loss_scaling": true})", "capabilities.loss_scaling: expected"},
      {R"({"offload": ["full", "full"]})", "capabilities.offload[1]: expected every entry once, got \"full\""},
      {R"({"replicas": 2})", "capabilities.replicas: expected true or false, got 2"},
      {R"({"world_sizes": [4, 2]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [0, 2]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [1]})", "capabilities.world_sizes: expected two integers"},
      {R"({"world_sizes": [1, 4294967297]})", "capabilities.world_sizes: expected two integers"},
      {R"({"reduction_orders": ["any"]})",
       "capabilities.reduction_orders[0]: expected one of rank, ring, tree, probed, got \"any\""},
      {R"({"reduction_orders": ["probed"], "states": ["master"]})",
       "capabilities.states: expected \"gradient\" among them because \"reduction_orders\" has \"probed\", which reads "
       "the mean"},
      {R"({"reduction_orders": ["rank"], "param_dtypes": ["fp32", "bf16"], "mixed_dtypes": true, "ordered_dtypes": ["fp32"]})",
       "capabilities.ordered_dtypes: expected \"bf16\" among them because \"mixed_dtypes\" is true: one case has one "
       "order"},
      {R"({"ordered_dtypes": ["fp16"]})",
       "capabilities.ordered_dtypes[0]: precision: expected one of fp32, bf16; got \"fp16\""},
      {R"({"states": ["m"]})",
       "capabilities.states[0]: expected one of master, momentum, exp_avg, exp_avg_sq, gradient, got \"m\""},
      {R"({"clip": 1})", "capabilities.clip: expected"},
      {R"({"formulas": {"adamw": {"decay": "never"}}})",
       "capabilities.formulas.adamw.decay: expected one of update, before, after, gradient; got \"never\""},
      {R"({"formulas": {"adamw": {"order": 1}}})", "capabilities.formulas.adamw.order: unknown field"},
      {R"({"formulas": {"adagrad": {}}})", "optimizer: expected one of sgd, adamw, adam, lamb, muon; got \"adagrad\""},
      {R"({"formulas": {"adamw": "torch"}})",
       "capabilities.formulas.adamw: expected an object, or \"own\" where the formula has no words, got \"torch\""},
      {R"({"with_option": ["math=fast"]})", "capabilities.with_option: expected an object of key=value"},
      {R"({"with_option": {"math=fast": true}})",
       "capabilities.with_option.math=fast: expected an object of capabilities, got true"},
      {R"({"granularity": "layer"})",
       "capabilities.granularity: granularity: expected one of element, row, tensor; got \"layer\""},
      {R"({"shapes": ["vector"]})", "capabilities.shapes[0]: expected one of scalar, empty, got \"vector\""},
      {R"({"plans": [""]})", "capabilities.plans[0]: expected some text"},
      {R"({"optimizer_slack_bytes": -1})", "capabilities.optimizer_slack_bytes: expected"},
  };
  for (const auto& [text, sentence] : kProblems) {
    EXPECT_NE(SentenceFor(text).find(sentence), std::string::npos) << text << "\n" << SentenceFor(text);
  }
}

TEST(Capabilities, AreReadWithinLimits) {
  for (const BadJson& bad : BadJsonValues()) {
    const std::string sentence = SentenceFor(("{\"clip\":" + bad.value + "}").c_str());
    EXPECT_TRUE(sentence.starts_with("capabilities: line 1, column ")) << sentence;
    EXPECT_NE(sentence.find(bad.phrase), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace zerocts
