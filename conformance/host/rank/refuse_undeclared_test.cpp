// zerocts_refuse.h against all that C-ZERO-110 asks for: it goes by the JSON of the capabilities alone, so a field that
// it forgets shows here.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/abi/zerocts_refuse.h"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/undeclared.hpp"
#include "conformance/host/rank/invalid_call.hpp"
#include "conformance/host/rank/open_request.hpp"
#include "conformance/host/wire/rank_page.hpp"
#include "reference/experiment/experiment_json.hpp"

namespace zerocts {
namespace {

/// What one open with this case is answered, by who declares `declared`.
class Answer {
 public:
  Answer(const Case& c, const std::string& declared, const SubjectOptionValues& options = {}) {
    const Experiment& e = c.experiment;
    for (const ParameterSpec& spec : e.parameters) values_.emplace_back(static_cast<size_t>(spec.numel()));
    const std::vector<std::span<float>> initial(values_.begin(), values_.end());
    const std::string model = e.model ? ToJson(*e.model).dump() : "";
    RankPage page{""};
    OpenRequest request(c, 0, zerocts_host{}, initial, OptionsOf(c, options), model, page);
    code_ = zerocts_refuse_undeclared(request.args.args(), declared.c_str(), &calls_);
  }

  int code() const { return code_; }
  std::string why() const { return code_ == ZEROCTS_OK ? "" : calls_.why; }
  const zerocts_calls& calls() const { return calls_; }

 private:
  std::vector<std::vector<float>> values_;
  zerocts_calls calls_{};
  int code_ = ZEROCTS_OK;
};

std::string TextOf(const Capabilities& can) { return DeclaredOf(can).dump(1); }

/// What a call after open asks for, or what a function that is NULL refuses.
bool ShowsAfterOpen(const Case& c) {
  const ParameterRoles& roles = c.experiment.roles;
  return IsAfterOpen(c.invalid_request) || HasCheckpoints(c) || !roles.frozen.empty() ||
         !roles.without_gradient.empty() || !c.experiment.changes.empty() || c.experiment.curvature != 0;
}

/// Who declares little, and who declares all but one.
std::vector<Capabilities> Declarations() {
  std::vector<Capabilities> all = {LittleCapable(), EverythingCapable()};
  const auto but = [&](auto change) { change(all.emplace_back(EverythingCapable())); };
  but([](Capabilities& can) { can.stages = {0, 2}; });
  but([](Capabilities& can) { can.offload = {Offload::kParams}; });
  but([](Capabilities& can) { can.reduction_orders = {"ring"}; });
  but([](Capabilities& can) { can.ordered_dtypes = {Precision::kBf16}; });
  but([](Capabilities& can) { can.gradient_sync = {GradientSync::kEveryMicroBatch}; });
  but([](Capabilities& can) { can.clip_norms = {NormKind::kOne}; });
  but([](Capabilities& can) { can.clip_formulas = {ClipFormula::kAbove}; });
  but([](Capabilities& can) { can.loss_scaling = {LossScaleKind::kDynamic}; });
  but([](Capabilities& can) { can.accumulation_dtypes = can.reduce_dtypes = {Precision::kBf16}; });
  but([](Capabilities& can) { can.expert_divisors = {ExpertDivisor::kGroup}; });
  but([](Capabilities& can) { can.tensor_parallel = {2}; });
  but([](Capabilities& can) { can.tensor_parts = {PartSizes::kEven}; });
  but([](Capabilities& can) { can.models = {"gpt"}; });
  but([](Capabilities& can) { can.min_replicas = 2; });
  but([](Capabilities& can) { can.scalars = can.empty_parameters = false; });
  but([](Capabilities& can) { can.no_empty_ranks = true; });
  but([](Capabilities& can) {
    can.no_empty_ranks = true;
    can.granularity = Granularity::kTensor;
  });
  for (bool Capabilities::*flag :
       {&Capabilities::replicas, &Capabilities::experts, &Capabilities::expert_replicas, &Capabilities::overlap,
        &Capabilities::plan_files, &Capabilities::bucket_cap_bytes, &Capabilities::mixed_dtypes, &Capabilities::groups,
        &Capabilities::tied, &Capabilities::buffers, &Capabilities::accumulation, &Capabilities::sgd_variants,
        &Capabilities::clip, &Capabilities::kv_heads, &Capabilities::vocab_parallel,
        &Capabilities::sequence_parallel}) {
    but([flag](Capabilities& can) { can.*flag = false; });
  }
  return all;
}

TEST(RefuseUndeclared, RefusesEachProbeThatOpenCanSee) {
  for (const Capabilities& can : Declarations()) {
    for (const auto& [what, c] : UndeclaredOf(CaseOnFourRanks(), can)) {
      const Answer answer(c, TextOf(can));
      EXPECT_EQ(answer.code() != ZEROCTS_OK, !ShowsAfterOpen(c)) << what << ": " << answer.why() << TextOf(can);
      const bool says = answer.code() != ZEROCTS_UNIMPLEMENTED || answer.why().starts_with("not declared: ");
      EXPECT_TRUE(says) << what << ": " << answer.why();
    }
  }
}

TEST(RefuseUndeclared, KnowsThatMuonHasNesterovsMomentum) {
  Capabilities can = EverythingCapable();
  can.sgd_variants = false;
  Case c = CaseOnFourRanks();
  for (ParameterSpec& parameter : c.experiment.parameters) parameter.shape.resize(2, 1);
  for (HyperParameters& group : c.experiment.groups) {
    group.momentum = 0.5f;
    group.nesterov = true;
  }
  for (const OptimizerKind optimizer : {OptimizerKind::kMuon, OptimizerKind::kSgd}) {
    c.experiment.optimizer = optimizer;
    const bool taken = optimizer == OptimizerKind::kMuon;
    EXPECT_EQ(BeyondDeclaration(c, can).empty(), taken) << ToString(optimizer);
    EXPECT_EQ(Answer(c, TextOf(can)).code() == ZEROCTS_OK, taken) << ToString(optimizer);
  }
}

/// The host computes it, and open sees none.
bool IsModelOfTheHost(const Case& c, const Capabilities& can) {
  return c.experiment.model && std::ranges::count(can.models, KindOf(*c.experiment.model)) == 0;
}

/// Whatever one of them refuses is taken from who declares it.
TEST(RefuseUndeclared, TakesWhatIsDeclared) {
  int taken = 0;
  for (const Capabilities& asks : Declarations()) {
    for (const auto& [what, c] : UndeclaredOf(CaseOnFourRanks(), asks)) {
      for (const Capabilities& can : Declarations()) {
        if (!BeyondDeclaration(c, can).empty() || IsModelOfTheHost(c, can)) continue;
        const Answer answer(c, TextOf(can));
        EXPECT_EQ(answer.why(), "") << what << TextOf(can);
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(RefuseUndeclared, NamesAllThatIsNotDeclared) {
  Case c = CaseOnFourRanks();
  c.stage = 3;
  c.bucket_cap_bytes = 64;
  c.experiment.micro_batches = 2;
  c.experiment.max_norm = 1;
  EXPECT_EQ(Answer(c, TextOf(LittleCapable())).why(), "not declared: stages 3; bucket_cap_bytes; accumulation; clip");
}

TEST(RefuseUndeclared, TakesOptionsWithTheirCapabilities) {
  Case c = CaseOnFourRanks();
  const std::string declared = R"({"stages": [1], "param_dtypes": ["fp32"], "optimizers": ["sgd"],
    "world_sizes": [1, 4], "reduction_orders": [ "rank" ], "with_option": {"sums=tree": {"reduction_orders": ["tree"]},
    "math=exact": {}}})";
  c.reduction_order = "tree";
  EXPECT_EQ(Answer(c, declared).why(), "not declared: reduction_orders tree");
  EXPECT_EQ(Answer(c, declared, {{"math", "exact"}, {"sums", "tree"}}).why(), "");
  EXPECT_EQ(Answer(c, declared, {{"sums", "tree"}, {"math", "fast"}}).why(), "not declared: the option math=fast");
}

TEST(RefuseUndeclared, RefusesWhatMakesNoSense) {
  const std::string can = TextOf(EverythingCapable());
  const auto code_of = [&](auto change) {
    Case c = CaseOnFourRanks();
    change(c);
    return Answer(c, can).code();
  };
  EXPECT_EQ(code_of([](Case&) {}), ZEROCTS_OK);
  EXPECT_EQ(code_of([](Case& c) { c.experiment.world_size = 0; }), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([](Case& c) { c.experiment.micro_batches = 0; }), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([](Case& c) { c.replicas = 3; }), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([](Case& c) { c.experiment.experts.count = 3; }), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([](Case& c) { c.experiment.parameters[1].group = 1; }), ZEROCTS_INVALID_ARGUMENT);
}

/// accumulate, step and set_group, held against open.
class CallsOfOneRank : public testing::Test {
 protected:
  explicit CallsOfOneRank(Capabilities can = WithTwoMicroBatches()) : calls_(Answer(OpenCase(), TextOf(can)).calls()) {}

  static Capabilities WithTwoMicroBatches() {
    Capabilities can = LittleCapable();
    can.accumulation = true;
    return can;
  }
  static Case OpenCase() {
    Case c = CaseOnFourRanks();
    c.experiment.micro_batches = 2;
    return c;
  }

  int Accumulate(uint32_t micro_batch, std::vector<const void*> gradients, const zerocts_loss* loss = nullptr) {
    zerocts_accumulate_args args{sizeof args,      nullptr, 0, micro_batch, static_cast<uint32_t>(gradients.size()),
                                 gradients.data(), loss};
    return zerocts_refuse_accumulate(&args, &calls_);
  }
  int SetGroup(uint32_t group, const zerocts_group& values) {
    zerocts_set_group_args args{sizeof args, nullptr, group, 0, &values};
    return zerocts_refuse_set_group(&args, &calls_);
  }

  const float gradient_[6] = {};
  const std::vector<const void*> both_ = {gradient_, gradient_};
  zerocts_calls calls_;
};

TEST_F(CallsOfOneRank, AreTakenInTheirOrder) {
  for (int step = 0; step < 2; ++step) {
    EXPECT_EQ(Accumulate(0, both_), ZEROCTS_OK);
    EXPECT_EQ(Accumulate(1, both_), ZEROCTS_OK);
    EXPECT_EQ(zerocts_refuse_step(&calls_), ZEROCTS_OK);
  }
}

TEST_F(CallsOfOneRank, AreRefusedInAnother) {
  EXPECT_EQ(Accumulate(1, both_), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(Accumulate(0, both_), ZEROCTS_OK);
  EXPECT_EQ(zerocts_refuse_step(&calls_), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(Accumulate(0, both_), ZEROCTS_INVALID_ARGUMENT) << "the first one still counts";
  EXPECT_EQ(Accumulate(1, both_), ZEROCTS_OK);
  EXPECT_EQ(Accumulate(2, both_), ZEROCTS_INVALID_ARGUMENT);
}

TEST_F(CallsOfOneRank, AreRefusedWithOtherGradients) {
  EXPECT_EQ(Accumulate(0, {gradient_}), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(Accumulate(0, {gradient_, gradient_, gradient_}), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(Accumulate(0, {gradient_, nullptr}), ZEROCTS_UNIMPLEMENTED);
  const zerocts_loss loss{};
  EXPECT_EQ(Accumulate(0, both_, &loss), ZEROCTS_UNIMPLEMENTED);
  EXPECT_STREQ(calls_.why, "not declared: losses quadratic");
}

TEST_F(CallsOfOneRank, AreTakenWithWhatIsDeclared) {
  const zerocts_loss loss{};
  for (bool Capabilities::*flag : {&Capabilities::missing_gradients, &Capabilities::frozen, &Capabilities::buffers}) {
    Capabilities can = WithTwoMicroBatches();
    can.*flag = true;
    can.losses.push_back(LossShape::kQuadratic);
    calls_ = Answer(OpenCase(), TextOf(can)).calls();
    EXPECT_EQ(Accumulate(0, {nullptr, gradient_}, &loss), ZEROCTS_OK);
  }
}

TEST_F(CallsOfOneRank, SaveBetweenMicroBatchesWhereThatIsDeclared) {
  EXPECT_EQ(zerocts_refuse_save(&calls_), ZEROCTS_OK);
  EXPECT_EQ(Accumulate(0, both_), ZEROCTS_OK);
  EXPECT_EQ(zerocts_refuse_save(&calls_), ZEROCTS_UNIMPLEMENTED);
  EXPECT_STREQ(calls_.why, "not declared: checkpoint_in_window");
  Capabilities can = WithTwoMicroBatches();
  can.checkpoint_in_window = true;
  calls_ = Answer(OpenCase(), TextOf(can)).calls();
  EXPECT_EQ(Accumulate(0, both_), ZEROCTS_OK);
  EXPECT_EQ(zerocts_refuse_save(&calls_), ZEROCTS_OK);
}

TEST_F(CallsOfOneRank, SetGroupsThatOpenHas) {
  EXPECT_EQ(SetGroup(0, {}), ZEROCTS_UNIMPLEMENTED);
  calls_.takes_set_group = 1;
  EXPECT_EQ(SetGroup(0, {}), ZEROCTS_OK);
  EXPECT_EQ(SetGroup(1, {}), ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(SetGroup(0, {.nesterov = 1}), ZEROCTS_UNIMPLEMENTED);
  EXPECT_EQ(SetGroup(0, {.dampening = 0.5f}), ZEROCTS_UNIMPLEMENTED);
}

}  // namespace
}  // namespace zerocts
