#include "reference/experiment/experiment.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<NonFinite> kNonFiniteNames[] = {
    {NonFinite::kInfinity, "inf"}, {NonFinite::kMinusInfinity, "-inf"}, {NonFinite::kNan, "nan"}};

constexpr EnumName<GradientSource> kGradientSourceNames[] = {
    {GradientSource::kModel, "model"},
    {GradientSource::kIndexCoded, "index_coded"},
    {GradientSource::kOneHot, "one_hot"},
    {GradientSource::kPythagorean, "pythagorean"},
    {GradientSource::kUniform, "uniform"},
    {GradientSource::kZero, "zero"},
    {GradientSource::kOrderProbe, "order_probe"},
};

constexpr EnumName<InitialValues> kInitialValuesNames[] = {
    {InitialValues::kIntegers, "integers"},
    {InitialValues::kUniform, "uniform"},
    {InitialValues::kModel, "model"},
};

bool IsPowerOfTwo(float x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5f;
}

/// Is every scale that the automaton can reach a power of two?
bool ScalesByPowersOfTwo(const LossScaling& s) {
  if (s.kind == LossScaleKind::kNone) return true;
  if (s.kind == LossScaleKind::kStatic) return IsPowerOfTwo(s.scale);
  return IsPowerOfTwo(s.scale) && IsPowerOfTwo(s.growth_factor) && IsPowerOfTwo(s.backoff_factor) &&
         IsPowerOfTwo(s.minimum);
}

/// A sum of one number and zeros, divided by a power of two, far from where numbers lose digits.
bool HasExactSumsWithCurvature(const Experiment& e) {
  constexpr int kLargestExponent = 64;
  const auto count = static_cast<uint64_t>(int64_t{e.world_size} * e.micro_batches);
  return e.gradients == GradientSource::kOneHot && std::has_single_bit(count) && e.roles.tied.empty() &&
         std::abs(e.initial_exponent) <= kLargestExponent && std::abs(e.gradient_exponent) <= kLargestExponent;
}

constexpr EnumName<Precision> kSumNames[] = {{Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}};

}  // namespace

std::string ToString(NonFinite value) { return NameOf(kNonFiniteNames, value); }
NonFinite NonFiniteFromString(const std::string& name) { return FromName(kNonFiniteNames, "value", name); }

float ValueOf(NonFinite value) {
  if (value == NonFinite::kNan) return std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  return value == NonFinite::kInfinity ? infinity : -infinity;
}

std::string ToString(GradientSource source) { return NameOf(kGradientSourceNames, source); }
GradientSource GradientSourceFromString(const std::string& name) {
  return FromName(kGradientSourceNames, "gradients", name);
}

std::string ToString(InitialValues initial) { return NameOf(kInitialValuesNames, initial); }
InitialValues InitialValuesFromString(const std::string& name) {
  return FromName(kInitialValuesNames, "initial", name);
}

bool IsExact(GradientSource source) {
  return source != GradientSource::kModel && source != GradientSource::kUniform &&
         source != GradientSource::kOrderProbe;
}

void SetModel(Experiment& experiment, const ModelSpec& model) {
  experiment.model = model;
  experiment.parameters = ModelParameters(model);
  experiment.experts = ExpertsOf(model);
}

int64_t TotalNumel(const Experiment& experiment) {
  int64_t total = 0;
  for (const ParameterSpec& parameter : experiment.parameters) total += parameter.numel();
  return total;
}

std::vector<int64_t> FlatOffsets(const Experiment& experiment) {
  std::vector<int64_t> offsets = {0};
  offsets.reserve(experiment.parameters.size() + 1);
  for (const ParameterSpec& parameter : experiment.parameters) offsets.push_back(offsets.back() + parameter.numel());
  return offsets;
}

Precision PrecisionOf(const Experiment& experiment, int parameter) {
  return experiment.roles.PrecisionOf(parameter, experiment.precision);
}

bool GivesGradient(const Experiment& experiment, int parameter, int64_t step, int64_t g) {
  const int rank = static_cast<int>(g / experiment.micro_batches);
  return experiment.experts.Has(rank, parameter) && experiment.roles.GivesGradient(parameter, step, g);
}

bool IsUpdated(const Experiment& experiment, int parameter, int64_t step) {
  return experiment.roles.IsUpdated(parameter, step, MicroBatchesWith(experiment, parameter));
}

int ExpertOfMicroBatch(const Experiment& e, int64_t g) {
  return e.experts.OfRank(static_cast<int>(g / e.micro_batches));
}

int64_t MicroBatchesWith(const Experiment& e, int parameter) {
  const bool dense = e.experts.ExpertOf(parameter) == Experts::kDense;
  return int64_t{e.world_size} * e.micro_batches / (dense ? 1 : e.experts.count);
}

int64_t MicroBatchWith(const Experiment& e, int parameter, int64_t i) {
  const int expert = e.experts.ExpertOf(parameter);
  if (expert == Experts::kDense) return i;
  const int64_t rank = expert + i / e.micro_batches * e.experts.count;
  return rank * e.micro_batches + i % e.micro_batches;
}

int64_t MicroBatchesOfMean(const Experiment& e, int parameter) {
  const bool of_group = e.experts.divisor == ExpertDivisor::kGroup;
  return of_group ? MicroBatchesWith(e, parameter) : int64_t{e.world_size} * e.micro_batches;
}

bool IsExact(const Experiment& e) {
  const bool rounds_tied = std::ranges::any_of(
      e.roles.tied, [&](const TiedParameter& tie) { return PrecisionOf(e, tie.owner) == Precision::kBf16; });
  return IsExact(e.gradients) && e.accumulation == Precision::kFp32 && e.reduction == Precision::kFp32 &&
         ScalesByPowersOfTwo(e.loss_scaling) && !rounds_tied && (e.curvature == 0 || HasExactSumsWithCurvature(e));
}

Precision NarrowestPrecision(const Experiment& experiment) {
  for (const ParameterPrecision& entry : experiment.roles.precisions) {
    if (entry.precision == Precision::kBf16) return Precision::kBf16;
  }
  return experiment.precision;
}

Precision AccumulationFromString(const std::string& name) { return FromName(kSumNames, "accumulation", name); }
Precision ReductionFromString(const std::string& name) { return FromName(kSumNames, "reduction", name); }

std::vector<HyperParameters> GroupsAtStep(const Experiment& experiment, int64_t step) {
  std::vector<HyperParameters> groups = experiment.groups;
  for (const HyperParameterChange& change : experiment.changes) {
    if (change.step <= step) groups[change.group] = change.values;
  }
  return groups;
}

void SetLearningRates(Experiment& experiment, std::span<const float> rates) {
  experiment.changes.clear();
  for (size_t step = 0; step < rates.size(); ++step) {
    if (step > 0 && rates[step] == rates[step - 1]) continue;
    for (size_t group = 0; group < experiment.groups.size(); ++group) {
      HyperParameters values = experiment.groups[group];
      values.lr = rates[step];
      if (step == 0) {
        experiment.groups[group] = values;
      } else {
        experiment.changes.push_back({static_cast<int64_t>(step), static_cast<int>(group), values});
      }
    }
  }
}

}  // namespace zerocts
