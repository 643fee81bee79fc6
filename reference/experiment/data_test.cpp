#include "reference/experiment/data.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reference/experiment/exact_codes.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/value_exponents.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/exact_sum.hpp"

namespace zerocts {
namespace {

const std::vector<GradientSource> kExactSources = {GradientSource::kIndexCoded, GradientSource::kOneHot,
                                                   GradientSource::kPythagorean};

Experiment MakeExperiment(GradientSource source, int world_size, int micro_batches,
                          Precision precision = Precision::kFp32) {
  Experiment e;
  e.parameters = {{"a", {7, 3}}, {"b", {}}, {"c", {0, 4}}, {"d", {61}}};
  e.gradients = source;
  e.world_size = world_size;
  e.micro_batches = micro_batches;
  e.precision = precision;
  return e;
}

/// The gradient of micro-batch g, all parameters one after the other.
std::vector<float> FlatGradient(const Experiment& e, int64_t step, int64_t g) {
  const std::vector<int64_t> offsets = FlatOffsets(e);
  std::vector<float> flat(offsets.back(), -1.0f);
  for (size_t p = 0; p < e.parameters.size(); ++p) FillGradient(e, step, g, p, flat.data() + offsets[p]);
  return flat;
}

std::vector<std::vector<float>> AllGradients(const Experiment& e, int64_t step) {
  std::vector<std::vector<float>> gradients;
  for (int64_t g = 0; g < int64_t{e.world_size} * e.micro_batches; ++g) gradients.push_back(FlatGradient(e, step, g));
  return gradients;
}

/// The real sum of one element over all micro-batches; all exact values have few enough bits for double.
double RealSum(const std::vector<std::vector<float>>& gradients, size_t i) {
  double sum = 0.0;
  for (const auto& gradient : gradients) sum += gradient[i];
  return sum;
}

std::vector<double> Means(const Experiment& e, int64_t step) {
  const auto gradients = AllGradients(e, step);
  std::vector<double> means;
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    means.push_back(RealSum(gradients, i) / static_cast<double>(gradients.size()));
  }
  return means;
}

/// Adds in a random order with random grouping: two random terms become their fp32 sum until one is left.
float SumAtRandom(std::vector<float> terms) {
  while (terms.size() > 1) {
    const size_t i = *rc::gen::inRange<size_t>(0, terms.size());
    std::swap(terms[i], terms.back());
    const float term = terms.back();
    terms.pop_back();
    terms[*rc::gen::inRange<size_t>(0, terms.size())] += term;
  }
  return terms[0];
}

std::vector<float> Divided(std::vector<float> terms, float divisor) {
  for (float& term : terms) term /= divisor;
  return terms;
}

void ExpectExactInEveryOrder(const Experiment& e) {
  const auto gradients = AllGradients(e, 1);
  const float W = e.world_size, K = e.micro_batches;
  for (size_t i = 0; i < gradients[0].size(); i += 7) {
    std::vector<float> terms;
    for (const auto& gradient : gradients) terms.push_back(gradient[i]);
    const double sum = RealSum(gradients, i), mean = sum / (double{W} * double{K});
    RC_ASSERT(double{SumAtRandom(terms)} == sum);
    RC_ASSERT(double{SumAtRandom(terms) / (W * K)} == mean);
    RC_ASSERT(double{SumAtRandom(terms) / W / K} == mean);
    RC_ASSERT(double{SumAtRandom(Divided(terms, W * K))} == mean);
    RC_ASSERT(double{SumAtRandom(Divided(terms, W)) / K} == mean);
    RC_ASSERT(double{SumAtRandom(Divided(Divided(terms, W), K))} == mean);
    RC_ASSERT(double{SumAtRandom(Divided(terms, K)) / W} == mean);
  }
}

TEST(ExactSources, AreExactInEveryOrderAndGrouping) {
  for (const int count : {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 16, 24, 63}) {
    for (int world_size = 1; world_size <= 8; ++world_size) {
      if (count % world_size != 0) continue;
      EXPECT_TRUE(rc::check("W * K = " + std::to_string(count) + ", W = " + std::to_string(world_size), [=] {
        Experiment e = MakeExperiment(*rc::gen::elementOf(kExactSources), world_size, count / world_size,
                                      *rc::gen::element(Precision::kFp32, Precision::kBf16));
        e.seed = *rc::gen::arbitrary<uint64_t>();
        const ExponentRange exponents = GradientExponents(e);
        e.gradient_exponent = *rc::gen::oneOf(rc::gen::inRange(exponents.smallest, exponents.largest + 1),
                                              rc::gen::element(exponents.smallest, exponents.largest));
        RC_PRE(Problem(e).empty());
        ExpectExactInEveryOrder(e);
      }));
    }
  }
}

TEST(ExactSources, StayExactUpToTheLargestCountOfTheirPrecision) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (int count = 1; count <= 2500; ++count) {
      const int64_t modulus = CodeModulus(count, 1, precision);
      if (modulus == 0) continue;
      const int64_t odd = count / (count & -count);
      EXPECT_NE(count % modulus, 0);
      EXPECT_LT(odd * count * modulus, 1 << 24) << count;
      EXPECT_LE(odd * modulus, precision == Precision::kBf16 ? 256 : 1 << 24) << count;
    }
  }
}

TEST(EverySource, IsRepresentableInBf16) {
  for (const GradientSource source : {GradientSource::kIndexCoded, GradientSource::kOneHot,
                                      GradientSource::kPythagorean, GradientSource::kUniform, GradientSource::kZero}) {
    for (const int count : {1, 3, 7, 11, 12, 15, 16}) {
      const Experiment e = MakeExperiment(source, count, 1, Precision::kBf16);
      for (const auto& gradient : AllGradients(e, 2)) {
        for (const float x : gradient) EXPECT_EQ(Bits(RoundToBf16(x)), Bits(x)) << ToString(source) << " W = " << count;
      }
    }
  }
}

TEST(EverySource, DependsOnTheOffsetInTheConcatenationAlone) {
  for (const GradientSource source : {GradientSource::kIndexCoded, GradientSource::kOneHot,
                                      GradientSource::kPythagorean, GradientSource::kUniform, GradientSource::kZero}) {
    Experiment pieces = MakeExperiment(source, 3, 2);
    Experiment whole = pieces;
    whole.parameters = {{"whole", {TotalNumel(pieces)}}};
    for (int64_t g = 0; g < 6; ++g) {
      EXPECT_EQ(FlatGradient(pieces, 4, g), FlatGradient(whole, 4, g)) << ToString(source);
    }
  }
}

TEST(IndexCoded, MeansNameTheElement) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const int count : {1, 2, 3, 5, 7, 11, 12, 16}) {
      Experiment e = MakeExperiment(GradientSource::kIndexCoded, count, 1, precision);
      e.parameters = {{"p", {5000}}};
      const int64_t modulus = CodeModulus(count, 1, precision);
      const std::vector<double> means = Means(e, 0);
      for (size_t i = 0; i + 1 < means.size(); ++i) ASSERT_NE(means[i], means[i + 1]) << i << " of W = " << count;
      for (int64_t block = 0; block < 3; ++block) {
        const auto first = means.begin() + block * modulus;
        EXPECT_EQ(std::set<double>(first, first + modulus).size(), modulus) << "W = " << count;
      }
    }
  }
}

TEST(IndexCoded, DiffersBetweenMicroBatchesAndSteps) {
  const Experiment e = MakeExperiment(GradientSource::kIndexCoded, 3, 4);
  for (int64_t g = 0; g + 1 < 12; ++g) {
    const auto a = FlatGradient(e, 5, g), next_g = FlatGradient(e, 5, g + 1), next_step = FlatGradient(e, 6, g);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_GT(a[i], 0.0f);  // every micro-batch counts
      EXPECT_NE(a[i], next_g[i]);
      EXPECT_NE(a[i], next_step[i]);
    }
  }
}

TEST(OneHot, HasOneMicroBatchPerElement) {
  Experiment e = MakeExperiment(GradientSource::kOneHot, 3, 2);
  e.parameters[3].shape = {200};
  const auto gradients = AllGradients(e, 1);
  std::set<size_t> sources;
  bool negative = false, positive = false;
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    int nonzero = 0;
    for (size_t g = 0; g < gradients.size(); ++g) {
      if (gradients[g][i] == 0.0f) continue;
      ++nonzero;
      sources.insert(g);
      (gradients[g][i] < 0 ? negative : positive) = true;
    }
    EXPECT_EQ(nonzero, 1) << i;
  }
  EXPECT_EQ(sources.size(), 6u);
  EXPECT_TRUE(negative && positive);
}

RC_GTEST_PROP(Pythagorean, HasNormFive, ()) {
  Experiment e = MakeExperiment(GradientSource::kPythagorean, *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 4));
  e.parameters = {{"a", {*rc::gen::inRange(0, 4)}}, {"b", {2, *rc::gen::inRange(1, 4)}}};
  e.seed = *rc::gen::arbitrary<uint64_t>();
  e.gradient_exponent = *rc::gen::inRange(-20, 20);
  SumOfSquares squares;
  int nonzero = 0;
  for (const double mean : Means(e, 3)) {
    const float x = static_cast<float>(mean);
    squares.Add(&x, 1);
    nonzero += x != 0;
  }
  RC_ASSERT(nonzero == 2);
  RC_ASSERT(squares.Norm() == std::ldexp(5.0f, e.gradient_exponent));
}

TEST(Pythagorean, OfOneElementIsThree) {
  Experiment e = MakeExperiment(GradientSource::kPythagorean, 3, 2);
  e.parameters = {{"a", {0}}, {"b", {}}};
  EXPECT_EQ(Means(e, 0), std::vector<double>{3.0});
  e.parameters = {{"a", {0}}};
  EXPECT_TRUE(Means(e, 0).empty());
}

TEST(Uniform, CoversSignsAndExponents) {
  Experiment e = MakeExperiment(GradientSource::kUniform, 1, 1);
  e.parameters = {{"a", {20000}}};
  std::set<int> exponents;
  int negative = 0;
  for (const float x : FlatGradient(e, 0, 0)) {
    exponents.insert(std::ilogb(x));
    negative += x < 0;
  }
  EXPECT_EQ(*exponents.begin(), -12);
  EXPECT_EQ(*exponents.rbegin(), 2);
  EXPECT_EQ(exponents.size(), 15u);
  EXPECT_NEAR(negative, 10000, 5 * std::sqrt(20000) / 2);  // five standard deviations
}

TEST(InitialValues, AreWhatTheirKindSays) {
  Experiment e = MakeExperiment(GradientSource::kZero, 1, 1);
  e.parameters = {{"w", {40, 16}}, {"b", {40}}};
  e.initial = InitialValues::kIntegers;
  const std::vector<float> integers = InitialValuesOf(e, 0);
  for (size_t i = 0; i < integers.size(); ++i) {
    EXPECT_EQ(integers[i], std::round(integers[i]));
    EXPECT_LE(std::fabs(integers[i]), 30.0f);
    EXPECT_NE(integers[i], integers[i == 0 ? 1 : i - 1]);
  }
  e.initial = InitialValues::kModel;
  e.model = GptSpec{.vocab = 50, .context = 3, .layers = 2, .heads = 2, .width = 16};
  e.parameters = ModelParameters(*e.model);
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const ParameterSpec& parameter = e.parameters[p];
    const std::vector<float> values = InitialValuesOf(e, static_cast<int>(p));
    if (parameter.shape.size() == 1) {
      const float constant = parameter.name.find("norm") != std::string::npos && parameter.name.ends_with("weight");
      EXPECT_EQ(values, std::vector<float>(values.size(), constant)) << parameter.name;
      continue;
    }
    const bool into_residual = parameter.name.ends_with("_out.weight");  // smaller by the root of 2 L
    const float bound = 1.0f / std::sqrt(static_cast<float>(parameter.shape[1] * (into_residual ? 4 : 1)));
    const float largest = std::fabs(*std::ranges::max_element(values, {}, [](float x) { return std::fabs(x); }));
    EXPECT_LE(largest, bound) << parameter.name;
    EXPECT_GT(largest, 0.9f * bound) << parameter.name;
  }
}

TEST(Exponents, MultiplyInitialValuesAndRandomGradients) {
  const Experiment e = MakeExperiment(GradientSource::kUniform, 1, 1);
  for (const int exponent : {-149, -139, -127, -3, 1, 100, 127}) {  // subnormal, zero and infinite values among them
    Experiment scaled = e;
    scaled.initial_exponent = scaled.gradient_exponent = exponent;
    const std::vector<float> initial = InitialValuesOf(scaled, 3), gradient = FlatGradient(scaled, 0, 0);
    for (size_t i = 0; i < 61; ++i) {
      EXPECT_EQ(initial[i], std::ldexp(InitialValuesOf(e, 3)[i], exponent)) << exponent;
      EXPECT_EQ(gradient[i], std::ldexp(FlatGradient(e, 0, 0)[i], exponent)) << exponent;
    }
  }
}

TEST(OrderProbe, IsOneNumberOfEveryMicroBatch) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const Experiment e = MakeExperiment(GradientSource::kOrderProbe, 3, 2, precision);
    for (int64_t g = 0; g < 6; ++g) {
      const float x = OrderProbeValue(e.seed, g, precision);
      for (const float y : FlatGradient(e, g, g)) EXPECT_EQ(y, x);
      EXPECT_NE(x, OrderProbeValue(e.seed, g + 1, precision));
      EXPECT_EQ(precision == Precision::kBf16 ? RoundToBf16(x) : x, x);
    }
    std::set<int> exponents;
    for (uint64_t seed = 0; seed < 1000; ++seed) exponents.insert(std::ilogb(OrderProbeValue(seed, 0, precision)));
    EXPECT_GE(exponents.size(), precision == Precision::kBf16 ? 32u : 8u);
  }
}

// Data are the same in every process, on every machine and in every release: golden hashes.
TEST(Data, HasGoldenHashes) {
  const std::vector<std::pair<GradientSource, std::string>> golden = {
      {GradientSource::kIndexCoded, "0635fa103b476be4557aa8fb998066a0"},
      {GradientSource::kOneHot, "928350d847181cc017ac289684c1fe6b"},
      {GradientSource::kPythagorean, "0f7091657206ffb63512a029afbfb55e"},
      {GradientSource::kUniform, "6124500388b123a0cb1d9c6b5c3850c4"},
  };
  for (const auto& [source, hash] : golden) {
    std::vector<float> all;
    for (const auto& gradient : AllGradients(MakeExperiment(source, 3, 2), 1)) {
      all.insert(all.end(), gradient.begin(), gradient.end());
    }
    EXPECT_EQ(HashOf(all), hash) << ToString(source);
  }
  Experiment e = MakeExperiment(GradientSource::kZero, 1, 1);
  EXPECT_EQ(HashOf(InitialValuesOf(e, 3)), "5200c64d964385a1df674838719eab93");
  e.initial = InitialValues::kUniform;
  EXPECT_EQ(HashOf(InitialValuesOf(e, 3)), "7fc104e3ac241d888838aa45ec07bc66");
}

}  // namespace
}  // namespace zerocts
