#include "reference/model/model_spec.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>

#include "reference/model/units.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Precision> kPrecisionNames[] = {{Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}};

std::vector<UnitParameter> RegisteredParameters(const ModelSpec& model) {
  std::vector<UnitParameter> parameters;
  std::set<std::string> seen;
  for (const auto& unit : UnitsOf(model, Precision::kFp32)) {
    for (const UnitParameter& parameter : unit->parameters()) {
      if (seen.insert(parameter.spec.name).second) parameters.push_back(parameter);
    }
  }
  return parameters;
}

struct RecentModel {
  std::optional<ModelSpec> model;
  std::vector<UnitParameter> parameters;
};

/// Each once, in registration order. Drawing a case asks much of a few small models, so those of the last ones are
/// kept.
const std::vector<UnitParameter>& ParametersOf(const ModelSpec& model) {
  thread_local std::array<RecentModel, 32> recent;
  thread_local size_t oldest = 0;
  const auto* found = std::ranges::find(recent, model, &RecentModel::model);
  if (found != recent.end()) return found->parameters;
  RecentModel& slot = recent[oldest++ % recent.size()];
  slot = {model, RegisteredParameters(model)};
  return slot.parameters;
}

/// That field of each parameter.
template <typename T>
std::vector<T> OfEach(const ModelSpec& model, T UnitParameter::*field) {
  std::vector<T> values;
  for (const UnitParameter& parameter : ParametersOf(model)) values.push_back(parameter.*field);
  return values;
}

}  // namespace

std::string ToString(Precision precision) { return NameOf(kPrecisionNames, precision); }
Precision PrecisionFromString(const std::string& name) { return FromName(kPrecisionNames, "precision", name); }

int64_t ParameterSpec::numel() const {
  if (const std::optional<int64_t> numel = CheckedNumel(shape)) return *numel;
  throw std::invalid_argument("shape of " + name +
                              ": expected dimensions of 0 or more and at most 2^40 elements, got others");
}

GptSpec GptSize(const std::string& name) {
  if (name == "tiny") return {.vocab = 256, .context = 32, .layers = 2, .heads = 2, .width = 64};
  if (name == "small") return {.vocab = 256, .context = 256, .layers = 6, .heads = 6, .width = 384};
  if (name == "gpt2-124m") return {.vocab = 50257, .context = 1024, .layers = 12, .heads = 12, .width = 768};
  throw std::invalid_argument("gpt: expected tiny, small or gpt2-124m; got \"" + name + "\"");
}

std::string KindOf(const ModelSpec& model) { return std::holds_alternative<MlpSpec>(model) ? "mlp" : "gpt"; }

int64_t VocabOf(const ModelSpec& model) {
  return std::visit([](const auto& spec) { return spec.vocab; }, model);
}

int64_t ContextOf(const ModelSpec& model) {
  return std::visit([](const auto& spec) { return spec.context; }, model);
}

int64_t TargetsPerSequence(const ModelSpec& model) {
  return std::holds_alternative<GptSpec>(model) ? ContextOf(model) : 1;
}

std::vector<ParameterSpec> ModelParameters(const ModelSpec& model) { return OfEach(model, &UnitParameter::spec); }

std::vector<TensorCut> ModelTensorCuts(const ModelSpec& model) { return OfEach(model, &UnitParameter::cut); }

const SliceOrder& SliceOrderOf(const ModelSpec& model) {
  return std::visit([](const auto& spec) -> const SliceOrder& { return spec.slice_order; }, model);
}

int ExpertCountOf(const ModelSpec& model) {
  const auto* mlp = std::get_if<MlpSpec>(&model);
  return mlp ? mlp->experts : 1;
}

std::vector<int> ModelExperts(const ModelSpec& model) { return OfEach(model, &UnitParameter::expert); }

InitialRange ModelInitialRange(const ModelSpec& model, int parameter) {
  return ParametersOf(model)[static_cast<size_t>(parameter)].initial;
}

}  // namespace zerocts
