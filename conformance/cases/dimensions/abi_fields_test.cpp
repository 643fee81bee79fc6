// What dimensions tell a subject of a case, in the codes of zerocts_subject.h.
#include <gtest/gtest.h>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {
namespace {

zerocts_open_args Told(const Case& c) {
  zerocts_open_args args{};
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.form.tell) dimension.form.tell(c, args);
  }
  return args;
}

TEST(AbiFields, OfAPlainCaseAreAsUsual) {
  const zerocts_open_args args = Told(Case{});
  EXPECT_EQ(args.world_size, 1u);
  EXPECT_EQ(args.stage, 1u);
  EXPECT_EQ(args.param_dtype, uint32_t{ZEROCTS_FP32});
  EXPECT_EQ(args.optimizer, uint32_t{ZEROCTS_SGD});
  EXPECT_EQ(args.micro_batches, 1u);
  EXPECT_EQ(args.max_norm, 0.0f);
  EXPECT_EQ(args.bucket_cap_bytes, 0u);
  EXPECT_EQ(args.replicas, 1u);
  EXPECT_EQ(args.tensor, 1u);
  EXPECT_EQ(args.experts, 1u);
  EXPECT_EQ(args.tensor_parts, uint32_t{ZEROCTS_PARTS_EVEN});
  EXPECT_EQ(args.gradient_sync, uint32_t{ZEROCTS_SYNC_LAST_MICRO_BATCH});
  EXPECT_EQ(args.accumulation_dtype, 0u);
  EXPECT_EQ(args.reduce_dtype, 0u);
  EXPECT_EQ(args.clip_norm, uint32_t{ZEROCTS_NORM_TWO});
  EXPECT_EQ(args.clip_formula, uint32_t{ZEROCTS_CLIP_MIN});
  EXPECT_EQ(args.offload, uint32_t{ZEROCTS_OFFLOAD_NONE});
  EXPECT_EQ(args.overlap, uint32_t{ZEROCTS_OVERLAP_ANY});
}

TEST(AbiFields, HaveACodeThatNobodyDefines) {
  Case c;
  c.invalid_request = InvalidRequest::kCode;
  c.invalid_option = "stage=4";
  EXPECT_EQ(Told(c).stage, 4u);
  c.invalid_option = "offload=3";
  EXPECT_EQ(Told(c).offload, 3u);
  EXPECT_EQ(Told(c).stage, 1u);
}

TEST(AbiFields, SayWhatIsUnusual) {
  Case c;
  Experiment& e = c.experiment;
  e.world_size = 3;
  c.tensor = 2;
  c.tensor_parts = PartSizes::kCeil;
  e.precision = Precision::kBf16;
  e.optimizer = OptimizerKind::kLamb;
  e.micro_batches = 3;
  e.max_norm = 2.0f;
  e.clip_epsilon = 0.5f;
  e.clip_norm = NormKind::kInfinity;
  e.clip_formula = ClipFormula::kAbove;
  e.reduction = Precision::kBf16;
  c.stage = 3;
  c.bucket_cap_bytes = 64;
  c.replicas = 2;
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  c.offload = Offload::kParams;
  c.overlap = Overlap::kOn;
  const zerocts_open_args args = Told(c);
  EXPECT_EQ(args.world_size, 6u);
  EXPECT_EQ(args.stage, 3u);
  EXPECT_EQ(args.param_dtype, uint32_t{ZEROCTS_BF16});
  EXPECT_EQ(args.optimizer, uint32_t{ZEROCTS_LAMB});
  EXPECT_EQ(args.micro_batches, 3u);
  EXPECT_EQ(args.max_norm, 2.0f);
  EXPECT_EQ(args.clip_epsilon, 0.5f);
  EXPECT_EQ(args.bucket_cap_bytes, 64u);
  EXPECT_EQ(args.replicas, 2u);
  EXPECT_EQ(args.tensor, 2u);
  EXPECT_EQ(args.tensor_parts, uint32_t{ZEROCTS_PARTS_CEIL});
  EXPECT_EQ(args.gradient_sync, uint32_t{ZEROCTS_SYNC_EVERY_MICRO_BATCH});
  EXPECT_EQ(args.accumulation_dtype, 0u);
  EXPECT_EQ(args.reduce_dtype, uint32_t{ZEROCTS_BF16});
  EXPECT_EQ(args.clip_norm, uint32_t{ZEROCTS_NORM_INFINITY});
  EXPECT_EQ(args.clip_formula, uint32_t{ZEROCTS_CLIP_ABOVE});
  EXPECT_EQ(args.offload, uint32_t{ZEROCTS_OFFLOAD_PARAMS});
  EXPECT_EQ(args.overlap, uint32_t{ZEROCTS_OVERLAP_ON});
}

TEST(AbiFields, SayHowManyExpertsThereAre) {
  Case c;
  c.experiment.world_size = 6;
  c.experiment.experts = {3, {{0, 1}}};
  EXPECT_EQ(Told(c).experts, 3u);
  EXPECT_EQ(Told(c).expert_divisor, uint32_t{ZEROCTS_EXPERT_DIVISOR_WORLD});
  c.experiment.experts.divisor = ExpertDivisor::kGroup;
  EXPECT_EQ(Told(c).expert_divisor, uint32_t{ZEROCTS_EXPERT_DIVISOR_GROUP});
}

TEST(AbiFields, HaveACodeForEachClipFormula) {
  using enum ClipFormula;
  std::vector<uint32_t> codes;
  for (const ClipFormula formula : {kMin, kTorch, kAbove, kDeepSpeed, kDeepSpeedFp64, kDeepSpeedReciprocal}) {
    Case c;
    c.experiment.clip_formula = formula;
    codes.push_back(Told(c).clip_formula);
  }
  EXPECT_EQ(codes, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace zerocts
