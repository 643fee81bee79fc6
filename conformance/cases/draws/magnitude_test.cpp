// Numbers of every size are drawn, often enough, and the words for them say what is in the data.
#include "conformance/cases/draws/magnitude.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/cases/case/hyper_parameters.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

constexpr int kMagnitudes = 1000;

bool HasSubnormal(const std::vector<float>& values) {
  return std::ranges::any_of(values, [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

/// Everything that the ranks of the first step are given.
std::vector<float> GivenValues(const Experiment& e) {
  std::vector<float> all;
  for (int p = 0; p < std::ssize(e.parameters); ++p) {
    const std::vector<float> initial = InitialValuesOf(e, p);
    all.insert(all.end(), initial.begin(), initial.end());
    for (int64_t g = 0; !e.model && g < int64_t{e.world_size} * e.micro_batches; ++g) {
      std::vector<float> gradient(initial.size());
      FillGradient(e, 0, g, p, gradient.data());
      all.insert(all.end(), gradient.begin(), gradient.end());
    }
  }
  Experiment changed = e;
  ForEachHyperParameters(changed, [&](const HyperParameters& h) { all.insert(all.end(), {h.lr, h.weight_decay}); });
  return all;
}

/// Spaces whose numbers are compared by bits.
class Magnitudes : public testing::TestWithParam<Precision> {
 protected:
  std::vector<Case> DrawnOf(const CaseSpace& space) const {
    return Drawn(space, {3, GetParam(), {}}, EverythingCapable(), kMagnitudes);
  }
};

INSTANTIATE_TEST_SUITE_P(Precisions, Magnitudes, testing::Values(Precision::kFp32, Precision::kBf16),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(Magnitudes, OfEveryKindAreDrawn) {
  for (const CaseSpace& space : {EverythingOf(ShapeStyle::kMixed), SemanticsOf(EverythingOf(ShapeStyle::kMixed))}) {
    int initial = 0, gradients = 0, rates = 0, decays = 0, huge = 0, plain = 0;
    for (const Case& c : DrawnOf(space)) {
      Experiment e = c.experiment;
      initial += e.initial_exponent < -126;
      gradients += e.gradient_exponent < -120;
      huge += HasHugeValues(e);
      plain += IsPlain(e);
      float rate = 1, decay = 1;
      ForEachHyperParameters(e, [&](const HyperParameters& h) {
        rate = std::min(rate, h.lr);
        if (h.weight_decay > 0) decay = std::min(decay, h.weight_decay);
      });
      rates += rate < 0x1p-126f;
      decays += decay < 0x1p-126f;
    }
    EXPECT_GE(20 * initial, kMagnitudes);
    EXPECT_GE(40 * gradients, kMagnitudes);
    EXPECT_GE(50 * rates, kMagnitudes);
    EXPECT_GE(decays, 1);
    EXPECT_GE(50 * huge, kMagnitudes);
    EXPECT_GE(2 * plain, kMagnitudes);
  }
}

TEST_P(Magnitudes, AreInTheDataOfWhichTheyAreSaid) {
  int subnormal = 0;
  for (const Case& c : DrawnOf(EverythingOf(ShapeStyle::kMixed))) {
    const std::vector<float> given = GivenValues(c.experiment);
    subnormal += HasSubnormal(given);
    EXPECT_TRUE(!HasSubnormal(given) || HasSubnormals(c.experiment)) << c;
    EXPECT_TRUE(std::ranges::all_of(given, [](float x) { return std::isfinite(x); })) << c;
  }
  EXPECT_GE(20 * subnormal, kMagnitudes);
}

TEST_P(Magnitudes, TravelWithEveryBit) {
  for (const Case& c : DrawnOf(EverythingOf(ShapeStyle::kMixed))) {
    const Case read = CaseFromJson(nlohmann::json::parse(ToJson(c).dump()));
    EXPECT_EQ(read, c);
    EXPECT_EQ(GivenValues(read.experiment), GivenValues(c.experiment));
  }
}

TEST(MagnitudesOfModels, AreTinyWeights) {
  int tiny = 0;
  for (const Case& c : Drawn(ModelSpace(), {3, Precision::kFp32, {}}, EverythingCapable(), 200)) {
    tiny += HasSubnormals(c.experiment);
  }
  EXPECT_GE(20 * tiny, 200);
}

TEST(MagnitudesOfOtherFidelities, ArePlain) {
  CaseSpace parity = EverythingOf(ShapeStyle::kMixed);
  parity.fidelity = Fidelity::kSelfParity;
  for (const CaseSpace& space : {BoundedSpace(), parity}) {
    for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, EverythingCapable(), 200)) {
      EXPECT_TRUE(IsPlain(c.experiment)) << c;
    }
  }
}

}  // namespace
}  // namespace zerocts
