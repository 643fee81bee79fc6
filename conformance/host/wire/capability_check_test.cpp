#include "conformance/host/wire/capability_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

Case CaseOfOne() {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}};
  return c;
}

Case CaseOfAnMlp() {
  Case c;
  c.experiment.model = MlpSpec{};
  c.experiment.parameters = ModelParameters(*c.experiment.model);
  c.experiment.gradients = GradientSource::kModel;
  return c;
}

TEST(BeyondCapabilities, NamesWhatASubjectDoesNotDeclare) {
  Case c = CaseOfOne();
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false), "");
  Capabilities can = EverythingCapable();
  can.stages = {0};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "stage 1 (declared: 0)");
}

// However much a subject declares: it cannot be told.
TEST(BeyondCapabilities, LetsACasePassThatAsksForWhatIsNotDeclared) {
  Case c = CaseOfOne();
  Capabilities can = EverythingCapable();
  can.stages = {0};
  c.undeclared = true;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  can.ranks_as_threads = false;
  EXPECT_EQ(BeyondCapabilities(c, can, true), "ranks as threads of one process (not declared)");
}

TEST(BeyondCapabilities, NamesWhatTheAbiCannotSay) {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
  c.experiment.gradients = GradientSource::kModel;
  c.experiment.roles.tied = {{1, 0}};
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false),
            "tied parameters of a model (zerocts_subject.h version 1 cannot say it)");
}

TEST(BeyondCapabilities, TheFormulaIsTheSubjects) {
  Case c = CaseOfOne();
  Capabilities can = EverythingCapable();
  can.formulas[OptimizerKind::kSgd] = {.moments = MomentOrder::kLerp};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "another formula of sgd (declared: \"formulas\" of its own)");
  c.experiment.formula = can.formulas[OptimizerKind::kSgd];
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false),
            "another formula of sgd (declared: none, so this suite's own)");
}

TEST(BeyondCapabilities, AFormulaWithoutWordsIsForSelfParity) {
  Case c = CaseOfOne();
  Capabilities can = EverythingCapable();
  can.own_formulas = {OptimizerKind::kSgd};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "the bits of sgd (declared: a formula of its own)");
  c.fidelity = Fidelity::kSelfParity;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
}

TEST(BeyondCapabilities, UnusualShapesMayBeLeftOut) {
  Capabilities can = EverythingCapable();
  can.scalars = can.empty_parameters = false;
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}, {"scalar", {}, 0}};
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false), "");
  EXPECT_EQ(BeyondCapabilities(c, can, false), "shapes: a scalar (not declared)");
  c.experiment.parameters.back() = {"empty", {0, 3}, 0};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "shapes: a parameter without elements (not declared)");
}

TEST(BeyondCapabilities, EveryRankMayNeedSomethingOfItsOwn) {
  Case c;
  Experiment& e = c.experiment;
  e.world_size = 4;
  e.parameters = {{"a", {1}, 0}, {"b", {2}, 0}, {"empty", {0}, 0}};
  Capabilities can = EverythingCapable();
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  can.no_empty_ranks = true;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "a rank without elements (not declared)");
  e.parameters[0].shape = {2};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  can.granularity = Granularity::kTensor;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "a rank without elements (not declared)");
  c.replicas = 2;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "") << "two ranks, two tensors";
  e.roles.tied = {{1, 0}};
  EXPECT_NE(BeyondCapabilities(c, can, false), "");
  c.stage = 0;
  c.replicas = 1;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "") << "nothing is sharded";
}

TEST(BeyondCapabilities, NobodyComputesAModelForARankThatWantsItsInputs) {
  Case c = CaseOfAnMlp();
  HelloMessage hello{.capabilities = ToJson(EverythingCapable()).dump()};
  EXPECT_EQ(BeyondCapabilities(c, CapabilitiesOf(hello), false), "");
  hello.wants_inputs = true;
  EXPECT_EQ(BeyondCapabilities(c, CapabilitiesOf(hello), false), "");
  Capabilities can = CapabilitiesOf(hello);
  can.models = {"gpt"};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "gradients of the model mlp (declared: gpt)");
}

TEST(BeyondCapabilities, RealTrainingIsOfModelsThatTheSubjectComputes) {
  Case c = CaseOfAnMlp();
  c.fidelity = Fidelity::kBounded;
  Capabilities can = EverythingCapable();
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  can.inexact_models = true;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  c.fidelity = Fidelity::kDeclaredOrder;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "bits of the model mlp (declared: inexact_models)");
  c.fidelity = Fidelity::kSelfParity;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "bits of the model mlp (declared: inexact_models)");
  can.own_models = true;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  c.fidelity = Fidelity::kBounded;
  can.inexact_models = false;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "a bound of the model mlp (declared: own_models)");
  can.own_models = false;
  can.models = {};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "gradients of the model mlp (nothing of the kind is declared)");
}

/// What asks for a feature, what no longer declares it, and the sentence.
struct Feature {
  std::function<void(Case&)> ask;
  std::function<void(Capabilities&)> take_away;
  std::string sentence;
};

template <typename Roles>
auto Role(Roles ParameterRoles::*role, std::type_identity_t<Roles> value) {
  return [=](Case& c) { c.experiment.roles.*role = value; };
}

TEST(BeyondCapabilities, EachUndeclaredFeatureHasItsName) {
  using C = Case;
  using Can = Capabilities;
  const Feature features[] = {
      {[](C& c) { c.experiment.optimizer = OptimizerKind::kMuon; }, [](Can& can) { can.optimizers.pop_back(); },
       "the optimizer muon (declared: sgd, adamw, adam, lamb)"},
      {[](C& c) { c.replicas = 2; }, [](Can& can) { can.replicas = false; }, "replicas (not declared)"},
      {[](C& c) { c.gradient_sync = GradientSync::kEveryMicroBatch, c.experiment.micro_batches = 2; },
       [](Can& can) { can.gradient_sync.pop_back(); }, "gradient_sync every_micro_batch (declared: last_micro_batch)"},
      {[](C& c) { c.experiment.micro_batches = 2; },
       [](Can& can) { can.gradient_sync = {GradientSync::kEveryMicroBatch}; },
       "gradient_sync last_micro_batch (declared: every_micro_batch)"},
      {[](C& c) { c.reduction_order = "rank"; }, [](Can& can) { can.ordered_dtypes = {Precision::kBf16}; },
       "the reduction order rank of fp32 parameters (nothing of the kind is declared)"},
      {[](C& c) { c.offload = Offload::kFull; }, [](Can& can) { can.offload.pop_back(); },
       "offload full (declared: none, params)"},
      {[](C& c) { c.overlap = Overlap::kOff; }, [](Can& can) { can.overlap = false; }, "overlap (not declared)"},
      {[](C& c) { c.checkpoint = Checkpoint{}; }, [](Can& can) { can.checkpoint = false; },
       "checkpoint (not declared)"},
      {[](C& c) {
         c.checkpoint = Checkpoint{.after_step = 0, .how = CheckpointUse::kLoad, .damage = {}, .other_world_size = 2};
       },
       [](Can& can) { can.checkpoint_reshard = false; }, "checkpoint_reshard (not declared)"},
      {[](C& c) {
         c.experiment.steps = 2;
         c.extra_calls = {{1, 1, ExtraCallKind::kSave}};
       },
       [](Can& can) { can.checkpoint_in_window = false; }, "checkpoint_in_window (not declared)"},
      {[](C& c) {
         c.extra_calls = {{0, 0, ExtraCallKind::kEarlyStep}};
       },
       [](Can& can) { can.goes_on_after_refusal = false; }, "goes_on_after_refusal (not declared)"},
      {[](C& c) { c.observe_traffic = true; }, [](Can& can) { can.traffic = false; }, "traffic (not declared)"},
      {[](C& c) { c.observe_timeline = true; }, [](Can& can) { can.timeline = false; }, "timeline (not declared)"},
      {[](C& c) {
         c.experiment.model = MlpSpec{};
         c.observe_events = true;
       },
       [](Can& can) { can.events = false; }, "events (not declared)"},
      {[](C& c) { c.observe_memory_estimate = true; }, [](Can& can) { can.memory_estimate = false; },
       "memory_estimate (not declared)"},
      {[](C& c) { c.experiment.accumulation = Precision::kBf16; }, [](Can& can) { can.accumulation_dtypes.pop_back(); },
       "accumulation in bf16 (declared: fp32)"},
      {[](C& c) { c.experiment.reduction = Precision::kBf16; }, [](Can& can) { can.reduce_dtypes.pop_back(); },
       "reduction in bf16 (declared: fp32)"},
      {[](C& c) { c.experiment.clip_norm = NormKind::kInfinity; }, [](Can& can) { can.clip_norms.pop_back(); },
       "the clip norm inf (declared: 2, 1)"},
      {[](C& c) { c.experiment.clip_formula = ClipFormula::kDeepSpeedReciprocal; },
       [](Can& can) { can.clip_formulas.pop_back(); },
       "the clip formula deepspeed_reciprocal (declared: min, torch, above, deepspeed, deepspeed_fp64)"},
      {[](C& c) { c.experiment.loss_scaling.kind = LossScaleKind::kDynamic; },
       [](Can& can) { can.loss_scaling.pop_back(); }, "loss scaling dynamic (declared: static)"},
      {[](C& c) {
         c.experiment.changes = {{1, 0, {.momentum = 0.5f, .dampening = 0.5f}}};
       },
       [](Can& can) { can.sgd_variants = false; }, "sgd_variants (not declared)"},
      {Role(&ParameterRoles::frozen, {{0, 0, 1}}), [](Can& can) { can.frozen = false; }, "frozen (not declared)"},
      {Role(&ParameterRoles::missing, {{0, 0, 0}}), [](Can& can) { can.missing_gradients = false; },
       "missing_gradients (not declared)"},
      {Role(&ParameterRoles::without_gradient, {{0, 0, 1}}), [](Can& can) { can.missing_gradients = false; },
       "missing_gradients (not declared)"},
      {Role(&ParameterRoles::tied, {{1, 0}}), [](Can& can) { can.tied = false; }, "tied (not declared)"},
      {Role(&ParameterRoles::buffers, {0}), [](Can& can) { can.buffers = false; }, "buffers (not declared)"},
      {Role(&ParameterRoles::precisions, {{0, Precision::kBf16}}), [](Can& can) { can.mixed_dtypes = false; },
       "mixed_dtypes (not declared)"},
      {Role(&ParameterRoles::precisions, {{0, Precision::kBf16}}), [](Can& can) { can.param_dtypes.pop_back(); },
       "bf16 parameters (declared: fp32)"},
  };
  for (const Feature& feature : features) {
    Case c;
    c.experiment.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
    c.experiment.world_size = 4;
    Capabilities can = EverythingCapable();
    feature.take_away(can);
    EXPECT_EQ(BeyondCapabilities(c, can, false), "") << feature.sentence;
    feature.ask(c);
    EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false), "") << feature.sentence;
    EXPECT_EQ(BeyondCapabilities(c, can, false), feature.sentence);
  }
}

TEST(BeyondCapabilities, WhoRunsOnlyOnAMeshHasNoOneReplica) {
  Case c = CaseOfOne();
  c.experiment.world_size = 4;
  Capabilities can = EverythingCapable();
  can.min_replicas = 2;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "the number of replicas 1 (declared: at least 2)");
  c.replicas = 2;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
}

TEST(BeyondCapabilities, GivenZerosNeedNoMissingGradients) {
  Case c = CaseOfOne();
  c.experiment.world_size = 2;
  c.experiment.roles.missing = {{0, 0, 0}};
  c.missing_as_null = false;
  Capabilities can = EverythingCapable();
  can.missing_gradients = false;
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
}

TEST(BeyondCapabilities, TheHostScalesNoLossForASubject) {
  Case c = CaseOfAnMlp();
  c.experiment.loss_scaling.kind = LossScaleKind::kStatic;
  Capabilities can = EverythingCapable();
  EXPECT_EQ(BeyondCapabilities(c, can, false), "");
  can.models = {"gpt"};
  EXPECT_EQ(BeyondCapabilities(c, can, false),
            "loss scaling of a model that it does not compute itself, mlp (declared: gpt)");
}

}  // namespace
}  // namespace zerocts
