#include "reference/experiment/data.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "reference/experiment/exact_codes.hpp"
#include "reference/experiment/random_streams.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr int64_t kInitialModulus = 61;  // initial integers are -30 .. 30

/// Offset of a parameter's first element in the concatenation of all parameters.
int64_t FlatBegin(const Experiment& e, int parameter) {
  int64_t begin = 0;
  for (int p = 0; p < parameter; ++p) begin += e.parameters[p].numel();
  return begin;
}

/// Scales values by 2^exponent: the product in fp64 is exact, so each is rounded once, as by std::ldexp.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent) : factor_(std::ldexp(1.0, exponent)) {}
  float operator*(float value) const { return static_cast<float>(factor_ * value); }

 private:
  double factor_;
};

/// One micro-batch's gradient of one parameter is to be filled in.
struct Request {
  const Experiment& experiment;
  int parameter;
  uint64_t step, g;
  int64_t begin;         // flat index of the first element
  std::span<float> out;  // [numel]
  /// By what one micro-batch multiplies an integer that it adds to the mean.
  float scale() const {
    return PowerOfTwo(experiment.gradient_exponent) * static_cast<float>(MicroBatchesOfMean(experiment, parameter));
  }
  /// Micro-batches that an element may come from, and the i-th of them.
  uint64_t sources() const { return static_cast<uint64_t>(MicroBatchesWith(experiment, parameter)); }
  uint64_t Source(uint64_t i) const {
    return static_cast<uint64_t>(MicroBatchWith(experiment, parameter, static_cast<int64_t>(i)));
  }
};

/// visit(i, code) for every element; codes of the same element differ from g to g + 1 and from step to step + 1.
template <typename Visit>
void ForEachCode(const Request& r, uint64_t g, Visit visit) {
  const Experiment& e = r.experiment;
  const uint64_t modulus = CodeModulus(e.world_size, e.micro_batches, NarrowestPrecision(e));
  const uint64_t per_g = 1 + RandomBelow(e.seed, Stream({kDrawCodeShift}), 0, modulus - 1);
  const uint64_t per_step = 1 + RandomBelow(e.seed, Stream({kDrawCodeShift}), 1, modulus - 1);
  const uint64_t shift = (per_g * (g % modulus) + per_step * (r.step % modulus)) % modulus;
  ElementCodes(e.seed, modulus).ForEach(r.begin, r.out.size(), shift, visit);
}

void FillIndexCoded(const Request& r) {
  const float scale = r.scale();
  ForEachCode(r, r.g, [&](int64_t i, int64_t code) { r.out[i] = scale * static_cast<float>(code); });
}

void FillOneHot(const Request& r) {
  const Experiment& e = r.experiment;
  const float scale = r.scale();
  const uint64_t sources = Stream({kDrawOneHotSource, r.step}), signs = Stream({kDrawOneHotSign, r.step});
  ForEachCode(r, 0, [&](int64_t i, int64_t code) {
    const bool is_source = r.Source(RandomBelow(e.seed, sources, r.begin + i, r.sources())) == r.g;
    const bool negative = RandomBelow(e.seed, signs, r.begin + i, 2) == 1;
    r.out[i] = is_source ? scale * static_cast<float>(negative ? -code : code) : 0.0f;
  });
}

void FillPythagorean(const Request& r) {
  const Experiment& e = r.experiment;
  const uint64_t stream = Stream({kDrawPythagorean, r.step});
  const uint64_t total = TotalNumel(e);
  std::ranges::fill(r.out, 0.0f);
  const auto put = [&](uint64_t index, uint64_t source, float mean) {
    const int64_t i = static_cast<int64_t>(index) - r.begin;
    if (r.Source(source) == r.g && i >= 0 && i < static_cast<int64_t>(r.out.size())) r.out[i] = r.scale() * mean;
  };
  if (total < 1) return;
  const uint64_t three = RandomBelow(e.seed, stream, 0, total);
  put(three, RandomBelow(e.seed, stream, 1, r.sources()), 3.0f);
  if (total < 2) return;
  const uint64_t four = (three + 1 + RandomBelow(e.seed, stream, 2, total - 1)) % total;  // any element but `three`
  put(four, RandomBelow(e.seed, stream, 3, r.sources()), 4.0f);
}

/// `scale` times a magnitude (1 + fraction / 2^23) * 2^exponent with `binades` exponents from `lowest` on, from the
/// bits of one random word.
float RandomOverBinades(uint64_t random, int lowest, uint32_t binades, PowerOfTwo scale, Precision precision) {
  const uint32_t sign = random >> 63, fraction = random & 0x7fffff;
  const uint32_t exponent = 127 + lowest + ((random >> 32) & 0xffff) * binades / 0x10000;
  const float value = scale * FromBits(sign << 31 | exponent << 23 | fraction);
  return precision == Precision::kBf16 ? RoundToBf16(value) : value;
}

void FillUniform(const Request& r) {
  const Experiment& e = r.experiment;
  const uint64_t stream = Stream({kDrawUniformGradient, r.step, r.g});
  const Precision precision = PrecisionOf(e, r.parameter);
  const PowerOfTwo scale(e.gradient_exponent);
  for (size_t i = 0; i < r.out.size(); ++i) {
    r.out[i] = RandomOverBinades(RandomBits(e.seed, stream, r.begin + i), -12, 15, scale, precision);
  }
}

void FillOrderProbe(const Request& r) {
  const Experiment& e = r.experiment;
  std::ranges::fill(r.out, OrderProbeValue(e.seed, static_cast<int64_t>(r.g), PrecisionOf(e, r.parameter)));
}

void FillFinite(const Request& request) {
  switch (request.experiment.gradients) {
    case GradientSource::kModel: throw std::logic_error("gradients of a model are computed, not given");
    case GradientSource::kIndexCoded: return FillIndexCoded(request);
    case GradientSource::kOneHot: return FillOneHot(request);
    case GradientSource::kPythagorean: return FillPythagorean(request);
    case GradientSource::kUniform: return FillUniform(request);
    case GradientSource::kZero: std::ranges::fill(request.out, 0.0f); return;
    case GradientSource::kOrderProbe: return FillOrderProbe(request);
  }
}

}  // namespace

float OrderProbeValue(uint64_t seed, int64_t g, Precision precision) {
  const uint32_t binades = precision == Precision::kBf16 ? 32 : 8;  // sums of few digits are rounded only if far apart
  const uint64_t random = RandomBits(seed, Stream({kDrawOrderProbe}), static_cast<uint64_t>(g));
  return RandomOverBinades(random, -4, binades, PowerOfTwo(0), precision);
}

std::vector<float> InitialValuesOf(const Experiment& experiment, int parameter) {
  std::vector<float> values(experiment.parameters[parameter].numel());
  FillInitialValues(experiment, parameter, values);
  return values;
}

void FillInitialValues(const Experiment& experiment, int parameter, std::span<float> out) {
  const int64_t begin = FlatBegin(experiment, parameter);
  const auto fill_uniform = [&](InitialRange range) {
    const uint64_t stream = Stream({kDrawInitialValue});
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = std::fma(range.bound, RandomUniform(experiment.seed, stream, begin + i), range.centre);
    }
  };
  switch (experiment.initial) {
    case InitialValues::kIntegers:
      ElementCodes(experiment.seed, kInitialModulus).ForEach(begin, out.size(), 0, [&](int64_t i, int64_t code) {
        out[i] = static_cast<float>(code - (kInitialModulus + 1) / 2);
      });
      break;
    case InitialValues::kUniform: fill_uniform({.bound = 1.0f}); break;
    case InitialValues::kModel: fill_uniform(ModelInitialRange(*experiment.model, parameter)); break;
  }
  if (experiment.initial_exponent != 0) {
    const PowerOfTwo scale(experiment.initial_exponent);
    for (float& value : out) value = scale * value;
  }
}

void FillGradient(const Experiment& experiment, int64_t step, int64_t g, int parameter, float* out) {
  const Request request{experiment,
                        parameter,
                        static_cast<uint64_t>(step),
                        static_cast<uint64_t>(g),
                        FlatBegin(experiment, parameter),
                        std::span(out, experiment.parameters[parameter].numel())};
  const int rank = static_cast<int>(g / experiment.micro_batches);
  const bool is_missing = std::ranges::count(experiment.roles.missing, MissingGradient{parameter, step, g}) > 0;
  if (is_missing || !experiment.experts.Has(rank, parameter)) {
    std::ranges::fill(request.out, 0.0f);
    return;
  }
  FillFinite(request);
  for (const PlantedValue& planted : experiment.planted) {
    if (planted.step == step && planted.g == g && planted.parameter == parameter) {
      out[planted.element] = ValueOf(planted.value);
    }
  }
}

}  // namespace zerocts
