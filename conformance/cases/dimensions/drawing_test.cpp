#include <gtest/gtest.h>

#include "conformance/cases/features.hpp"
#include "conformance/cases/generate.hpp"
#include "conformance/cases/test_spaces.hpp"

namespace zerocts {
namespace {

/// Each switch alone, and the features that it may bring.
struct Switch {
  bool CaseSpace::*on;
  std::set<std::string> features;
};

const std::vector<Switch>& Switches() {
  using S = CaseSpace;
  static const std::vector<Switch> switches = {
      {&S::mesh, {"mesh"}},
      {&S::sync_each, {"sync_each"}},
      {&S::overlap, {"overlap"}},
      {&S::offload, {"offload"}},
      {&S::frozen, {"frozen", "thawed"}},
      {&S::missing, {"missing_some", "missing_all"}},
      {&S::tied, {"tied"}},
      {&S::buffers, {"buffer"}},
      {&S::mixed_precisions, {"mixed_precisions"}},
      {&S::bf16_sums, {"bf16_accumulation", "bf16_reduction"}},
      {&S::loss_scaling, {"loss_scaling", "dynamic_scale", "overflow"}},
      {&S::optimizer_variants, {"nesterov", "dampening"}},
      {&S::clip_variants,
       {"clip_norm_one", "clip_norm_infinity", "clip_formula_torch", "clip_formula_above", "clip_formula_deepspeed",
        "clip_formula_deepspeed_fp64"}},
  };
  return switches;
}

std::set<std::string> FeaturesOfSpace(const CaseSpace& space) {
  std::set<std::string> features;
  const auto gen = CasesOf(space, {4, Precision::kFp32, {}}, EverythingCapable());
  rc::Random random(3);
  for (int i = 0; i < 300; ++i) features.merge(FeaturesOf(gen(random.split(), i % 101).value()));
  return features;
}

TEST(DrawSemantics, EachSwitchBringsItsFeaturesAndNoOthers) {
  CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  plain.max_steps = 4;
  const std::set<std::string> without = FeaturesOfSpace(plain);
  for (const Switch& s : Switches()) {
    CaseSpace space = plain;
    space.*s.on = true;
    std::set<std::string> expected = without;
    for (const std::string& feature : s.features) {
      EXPECT_FALSE(without.contains(feature)) << feature;
      expected.insert(feature);
    }
    EXPECT_EQ(FeaturesOfSpace(space), expected) << *s.features.begin();
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
  const CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  CaseSpace space = plain;
  space.mesh = space.frozen = space.missing = space.tied = space.buffers = space.mixed_precisions = true;
  space.bf16_sums = space.loss_scaling = space.optimizer_variants = space.overlap = true;
  const auto all = CasesOf(space, place, old), none = CasesOf(plain, place, old);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Case with = all(rc::Random(seed), 50).value(), without = none(rc::Random(seed), 50).value();
    EXPECT_EQ(with, without);
  }
}

}  // namespace
}  // namespace zerocts
