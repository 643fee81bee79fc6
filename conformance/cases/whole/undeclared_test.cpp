#include "conformance/cases/whole/undeclared.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

std::vector<std::string> AskedOf(const Case& c, const Capabilities& can) {
  std::vector<std::string> asked;
  for (const UndeclaredCase& undeclared : UndeclaredOf(c, can)) asked.push_back(undeclared.what);
  return asked;
}

const std::vector<std::string> kInvalidRequests = {"one gradient fewer than there are parameters",
                                                   "one gradient more than there are parameters",
                                                   "the gradient of a parameter that is frozen",
                                                   "a step after one micro-batch fewer than open named",
                                                   "one micro-batch more than open named",
                                                   "the code stage=4 (not defined in zerocts_subject.h)",
                                                   "the code optimizer=6 (not defined in zerocts_subject.h)",
                                                   "the code param_dtype=3 (not defined in zerocts_subject.h)",
                                                   "the code accumulation_dtype=3 (not defined in zerocts_subject.h)",
                                                   "the code reduce_dtype=3 (not defined in zerocts_subject.h)",
                                                   "the code offload=3 (not defined in zerocts_subject.h)",
                                                   "the code overlap=3 (not defined in zerocts_subject.h)",
                                                   "the code tensor_parts=2 (not defined in zerocts_subject.h)",
                                                   "the option option_of_nobody=value_of_nobody (not declared)"};

/// What 2 or 4 tensor ranks, out of four ranks, are asked to split although they do not divide it.
const std::vector<std::string> kUndivided = {"2 tensor ranks for 3 heads, which they do not divide",
                                             "2 tensor ranks for 3 kv_heads, which they do not divide",
                                             "2 tensor ranks for slices(3), which they do not divide",
                                             "4 tensor ranks for 5 heads, which they do not divide",
                                             "4 tensor ranks for 5 kv_heads, which they do not divide",
                                             "4 tensor ranks for slices(5), which they do not divide"};

TEST(Undeclared, IsAnUnknownPlanWhatTensorRanksDoNotDivideAndInvalidRequestsWhereEverythingElseIsDeclared) {
  std::vector<std::string> expected = kUndivided;
  expected.emplace_back("the plan a plan of nobody (declared: contiguous, padded)");
  expected.insert(expected.end(), kInvalidRequests.begin(), kInvalidRequests.end());
  EXPECT_EQ(AskedOf(CaseOnFourRanks(), EverythingCapable()), expected);
}

TEST(Undeclared, IsAValueOfAnOptionThatIsDeclared) {
  Capabilities can = EverythingCapable();
  can.option_keys = {"math", "strategy"};
  Case c = CaseOnFourRanks();
  c.experiment.seed = 3;
  EXPECT_EQ(AskedOf(c, can).back(), "the option strategy=value_of_nobody (not declared)");
}

/// Who divides them is asked for nothing of the kind.
TEST(Undeclared, IsWhatTensorRanksDoNotDivideOfModelsThatTheSubjectComputes) {
  Case c = CaseOnFourRanks();
  c.experiment.world_size = 6;
  Capabilities can = EverythingCapable();
  can.tensor_parallel = {1, 3};
  std::vector<const Case*> split;
  const std::vector<UndeclaredCase> all = UndeclaredOf(c, can);
  for (const UndeclaredCase& undeclared : all) {
    if (undeclared.c.tensor == 3) split.push_back(&undeclared.c);
  }
  ASSERT_EQ(split.size(), 3);
  for (const Case* undivided : split) EXPECT_EQ(undivided->world_size(), 6);
  const auto heads_of = [](const Case& gpt) { return std::get<GptSpec>(*gpt.experiment.model).heads; };
  EXPECT_EQ(heads_of(*split[0]), 4);
  EXPECT_EQ(heads_of(*split[1]), 12);
  Case divided = *split[0];
  std::get<GptSpec>(*divided.experiment.model).slice_order.slices = 3;
  EXPECT_EQ(BeyondDeclaration(divided, can), "");

  can.models = {"mlp"};
  const auto is_undivided = [](const std::string& asked) { return asked.ends_with("which they do not divide"); };
  EXPECT_EQ(std::ranges::count_if(AskedOf(c, can), is_undivided), 1);
  can.inexact_models = true;
  EXPECT_EQ(std::ranges::count_if(AskedOf(c, can), is_undivided), 0);
}

TEST(Undeclared, IsNoWrongCallWhereAModelGivesTheGradients) {
  Case c = CaseOnFourRanks();
  c.experiment.curvature = 1;
  for (const std::string& asked : AskedOf(c, EverythingCapable())) {
    EXPECT_EQ(asked.find("gradient"), asked.npos) << asked;
    EXPECT_EQ(asked.find("micro-batch"), asked.npos) << asked;
  }
}

/// A subject that declares the least is asked for something of every dimension that can be beyond a declaration.
TEST(Undeclared, HasAProbeOfEveryDimensionThatCanBeBeyond) {
  Capabilities least = LittleCapable();
  least.scalars = least.empty_parameters = false;
  Capabilities accumulates = least, clips = least, saves = least;
  accumulates.accumulation = clips.clip = saves.checkpoint = true;
  Capabilities computes = least;
  computes.models = {"mlp", "gpt"};
  computes.groups = true;
  // What the host computes, and what it only reads: nothing that a subject could do another way.
  const std::vector<std::string> not_asked = {"model", "observation"};
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.declared.beyond || std::ranges::count(not_asked, dimension.name) > 0) continue;
    bool asked = false;
    for (const Capabilities& can : {least, accumulates, clips, saves, computes}) {
      asked |= std::ranges::any_of(UndeclaredOf(CaseOnFourRanks(), can), [&](const UndeclaredCase& undeclared) {
        return dimension.declared.beyond(undeclared.c, can) == undeclared.what;
      });
    }
    EXPECT_TRUE(asked) << dimension.name;
  }
}

/// Each capability that is taken away is asked for.
TEST(Undeclared, IsAskedForInEachCaseThatStaysWithinTheRest) {
  Capabilities can = EverythingCapable();
  can.models.clear();
  can.stages = {0, 1, 2};
  can.offload = {Offload::kNone, Offload::kParams};
  can.clip_norms = {NormKind::kTwo};
  can.clip_formulas.pop_back();
  can.sgd_variants = can.frozen = false;
  std::vector<std::string> expected = {
      "sgd_variants (not declared)",
      "sgd_variants (not declared)",
      "frozen (not declared)",
      "stage 3 (declared: 0, 1, 2)",
      "the plan a plan of nobody (declared: contiguous, padded)",
      "offload full (declared: none, params)",
      "the clip norm 1 (declared: 2)",
      "the clip norm inf (declared: 2)",
      "the clip formula deepspeed_reciprocal (declared: min, torch, above, deepspeed, deepspeed_fp64)"};
  expected.insert(expected.end(), kInvalidRequests.begin(), kInvalidRequests.end());
  std::erase(expected, "the gradient of a parameter that is frozen");
  EXPECT_EQ(AskedOf(CaseOnFourRanks(), can), expected);
  for (const UndeclaredCase& undeclared : UndeclaredOf(CaseOnFourRanks(), can)) {
    EXPECT_TRUE(undeclared.c.undeclared);
    EXPECT_EQ(Problem(undeclared.c), "");
    EXPECT_EQ(BeyondDeclaration(undeclared.c, can), undeclared.what);
  }
}

/// Its formula is the subject's, and no word of a case is another one's.
TEST(Undeclared, IsNoOptimizerThatIsDeclaredWithAFormulaOfItsOwn) {
  Capabilities can = EverythingCapable();
  can.own_formulas = {OptimizerKind::kAdamW};
  can.formulas[OptimizerKind::kLamb] = OptimizerFormula{};
  EXPECT_EQ(AskedOf(CaseOnFourRanks(), can).size(), kUndivided.size() + 1 + kInvalidRequests.size());
}

}  // namespace
}  // namespace zerocts
