// Every feature that a space can have is met often enough, on any number of ranks.
#include <gtest/gtest.h>

#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

constexpr int kCases = 2000;

void ExpectMinimums(const std::map<std::string, int>& counts, int cases, const std::vector<std::string>& features,
                    const std::string& where) {
  for (const std::string& feature : features) {
    const auto found = counts.find(feature);
    const double percent = found == counts.end() ? 0.0 : 100.0 * found->second / cases;
    EXPECT_GE(percent, 10.0) << feature << " " << where;
  }
}

const std::vector<std::string> kEverywhere = {"multi_group",     "empty_group",
                                              "accumulation",    "multi_step",
                                              "multi_window",    "clip_active",
                                              "clip_inactive",   "lr_change",
                                              "hyper_change",    "sgd",
                                              "momentum",        "adamw",
                                              "weight_decay",    "stage0",
                                              "stage1",          "stage2",
                                              "stage3",          "bucket",
                                              "bucket_partial",  "bucket_exact",
                                              "bucket_oversize", "random_gradients",
                                              "one_hot",         "read_reversed",
                                              "read_shuffled",   "read_before_step",
                                              "read_twice"};

std::vector<std::string> Plus(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class CoverageMinimums : public testing::TestWithParam<int> {};

TEST_P(CoverageMinimums, MixedShapes) {
  const int W = GetParam();
  std::vector<std::string> features = Plus(kEverywhere, {"zero_numel", "scalar", "one_parameter"});
  if (W > 1) {
    features = Plus(features, {"uneven", "numel_below_w", "empty_rank", "boundary_inside", "boundary_on_edge"});
  }
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    if (precision == Precision::kBf16) features.push_back("bf16");
    const auto counts =
        FeatureCounts(Drawn(EverythingOf(ShapeStyle::kMixed), {W, precision, {}}, EverythingCapable(), kCases));
    ExpectMinimums(counts, kCases, features, "W=" + std::to_string(W));
  }
}

TEST_P(CoverageMinimums, DegenerateShapes) {
  const int W = GetParam();
  std::vector<std::string> features = {"zero_numel", "scalar", "one_parameter", "empty_group", "multi_group"};
  if (W > 1) features = Plus(features, {"uneven", "numel_below_w", "empty_rank"});
  const auto cases =
      Drawn(EverythingOf(ShapeStyle::kDegenerate), {W, Precision::kFp32, {}}, EverythingCapable(), kCases);
  ExpectMinimums(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W));
}

TEST_P(CoverageMinimums, LargeShapes) {
  const int W = GetParam();
  CaseSpace space = EverythingOf(ShapeStyle::kLarge);
  space.vary.erase("clipping");  // the norm of a million elements costs milliseconds
  std::vector<std::string> features = {"one_parameter", "bucket_oversize"};
  if (W > 1) features = Plus(features, {"uneven", "boundary_inside"});
  const auto cases = Drawn(space, {W, Precision::kFp32, {}}, EverythingCapable(), kCases);
  ExpectMinimums(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W));
  int largest = 0;
  for (const Case& c : cases) {
    const int64_t numel = TotalNumel(c.experiment);
    EXPECT_GE(numel, 1 << 18);
    if (numel > 1 << 20) {
      EXPECT_EQ(numel, 1 << 22);
      ++largest;
    }
    EXPECT_EQ(c.experiment.steps, 1);
  }
  EXPECT_GE(largest, kCases / 10);
  EXPECT_LE(largest, kCases / 2);
}

TEST_P(CoverageMinimums, ModelOnText) {
  const int W = GetParam();
  const auto cases = Drawn(ModelSpace(), {W, Precision::kFp32, {}}, EverythingCapable(), 200);
  std::vector<std::string> features = {"model_on_text", "accumulation", "multi_step", "clip_active",
                                       "clip_inactive", "lr_change",    "multi_group"};
  if (W > 1) features = Plus(features, {"uneven", "boundary_inside"});
  ExpectMinimums(FeatureCounts(cases), 200, features, "W=" + std::to_string(W));
}

TEST_P(CoverageMinimums, Semantics) {
  const int W = GetParam();
  const CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  std::vector<std::string> features = {"adam",
                                       "lamb",
                                       "clip_norm_one",
                                       "clip_norm_infinity",
                                       "clip_formula_torch",
                                       "clip_formula_above",
                                       "clip_formula_deepspeed",
                                       "clip_formula_deepspeed_fp64",
                                       "clip_formula_deepspeed_reciprocal",
                                       "sync_every_micro_batch",
                                       "overlap",
                                       "offload",
                                       "bf16_accumulation",
                                       "bf16_reduction",
                                       "frozen",
                                       "thawed",
                                       "missing_all",
                                       "tied",
                                       "buffer",
                                       "mixed_precisions",
                                       "loss_scaling",
                                       "quadratic_loss",
                                       "last_step_read",
                                       "dynamic_scale",
                                       "overflow"};
  if (W > 1) features = Plus(features, {"mesh", "missing_some"});
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto cases = Drawn(space, {W, precision, {HeldTo("stage", {"1", "2", "3"})}}, EverythingCapable(), kCases);
    ExpectMinimums(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W) + " " + ToString(precision));
    for (const Case& c : cases) {
      EXPECT_EQ(Problem(c), "");
      EXPECT_EQ(c.fidelity == Fidelity::kExactInputs, IsExact(c.experiment));
      EXPECT_FALSE(c.fidelity == Fidelity::kDeclaredOrder && c.reduction_order == "any");
    }
  }
  CaseSpace sgd = space;
  sgd.optimizers = {OptimizerKind::kSgd};
  const auto counts = FeatureCounts(Drawn(sgd, {W, Precision::kFp32, {}}, EverythingCapable(), kCases));
  ExpectMinimums(counts, kCases, {"nesterov", "dampening"}, "W=" + std::to_string(W));
}

TEST_P(CoverageMinimums, SemanticsOfAModel) {
  const int W = GetParam();
  const auto cases = Drawn(SemanticsOf(ModelSpace()), {W, Precision::kFp32, {HeldTo("stage", {"1", "2", "3"})}},
                           EverythingCapable(), 200);
  std::vector<std::string> features = {"sync_every_micro_batch", "frozen",       "buffer",
                                       "mixed_precisions",       "loss_scaling", "bf16_reduction"};
  if (W > 1) features.push_back("mesh");
  ExpectMinimums(FeatureCounts(cases), 200, features, "W=" + std::to_string(W));
  for (const Case& c : cases) {
    EXPECT_EQ(Problem(c), "");
    EXPECT_TRUE(c.experiment.roles.tied.empty() && c.experiment.planted.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(WorldSizes, CoverageMinimums, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace zerocts
