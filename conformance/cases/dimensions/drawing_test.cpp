#include <gtest/gtest.h>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/features.hpp"
#include "conformance/cases/generate.hpp"
#include "conformance/cases/test_spaces.hpp"

namespace zerocts {
namespace {

std::set<std::string> FeaturesOfSpace(const CaseSpace& space) {
  std::set<std::string> features;
  const auto gen = CasesOf(space, {4, Precision::kFp32, {}}, EverythingCapable());
  rc::Random random(3);
  for (int i = 0; i < 300; ++i) features.merge(FeaturesOf(gen(random.split(), i % 101).value()));
  return features;
}

/// Without the dimension, but with what it needs to show what it brings.
CaseSpace PlainSpaceFor(const Dimension& dimension) {
  CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  plain.max_steps = 4;
  if (dimension.name == "tensor") {
    plain.gradients = {GradientSource::kModel};
    plain.vary.insert("mesh");
  }
  if (dimension.name == "vocab_parallel" || dimension.name == "sequence_parallel") {
    plain.gradients = {GradientSource::kModel};
    plain.vary.insert({"mesh", "tensor"});
  }
  if (dimension.name == "checkpoint damage") plain.checkpoint = CheckpointUse::kResume;
  plain.vary.erase(dimension.name);
  return plain;
}

TEST(DrawSemantics, EachDimensionOnRequestBringsItsFeaturesAndNoOthers) {
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.on_request) continue;
    CaseSpace space = PlainSpaceFor(dimension);
    std::set<std::string> expected = FeaturesOfSpace(space);
    space.vary.insert(dimension.name);
    const std::set<std::string> with = FeaturesOfSpace(space);
    EXPECT_NE(with, expected) << dimension.name;
    for (const auto& feature : dimension.features) expected.insert(feature.name);
    EXPECT_EQ(with, expected) << dimension.name;
  }
}

TEST(DrawSemantics, WhatIsNotDeclaredTakesNoDraw) {
  const CasePlace place{3, Precision::kFp32, {}};
  Capabilities old = EverythingCapable();
  const Capabilities left_out;
  old.replicas = old.frozen = old.missing_gradients = old.tied = old.buffers = old.mixed_dtypes = false;
  old.sgd_variants = old.overlap = false;
  old.accumulation_dtypes = old.reduce_dtypes = left_out.accumulation_dtypes;
  old.loss_scaling.clear();
  old.tensor_parallel = left_out.tensor_parallel;
  old.tensor_parts = left_out.tensor_parts;
  old.checkpoint_tensor = left_out.checkpoint_tensor;
  old.vocab_parallel = left_out.vocab_parallel;
  old.sequence_parallel = left_out.sequence_parallel;
  const CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  CaseSpace space = plain;
  space.vary.insert({"mesh", "frozen parameters", "missing gradients", "tied names", "buffers", "mixed precisions",
                     "sums", "loss scaling", "momentum", "overlap", "tensor"});
  const auto all = CasesOf(space, place, old), none = CasesOf(plain, place, old);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Case with = all(rc::Random(seed), 50).value(), without = none(rc::Random(seed), 50).value();
    EXPECT_EQ(with, without);
  }
}

}  // namespace
}  // namespace zerocts
