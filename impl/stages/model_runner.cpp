#include "impl/stages/model_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"
#include "impl/stages/tensor_window.hpp"
#include "impl/tensor_parallel/layers.hpp"

namespace zerocts::engine {
namespace {

Units MakeUnits(const EngineSettings& settings, TensorGroup& tensor_ranks) {
  if (settings.tensor == 1) return UnitsOf(*settings.model, settings.precision);
  return UnitsOf(*settings.model, settings.precision, TensorParallelLayers(tensor_ranks));
}

}  // namespace

ModelRunner::ModelRunner(const RankContext& context)
    : settings_(context.settings),
      arrangement_(context.arrangement),
      compute_(*context.streams.compute),
      timeline_(context.timeline),
      tensors_(context.device, compute_),
      tensor_ranks_(context.groups.tensor, compute_, context.ledger),
      model_(*settings_.model, settings_.precision, compute_.ops(), tensors_, MakeUnits(settings_, tensor_ranks_)),
      area_(arrangement_.sections.size()) {
  int64_t widest = 0, largest_buffer = 0;
  for (int unit = 0; unit < model_.units(); ++unit) {
    std::vector<int>& sections = sections_.emplace_back();
    int64_t narrow = 0;
    for (const int p : model_.ParametersOf(unit)) {
      const EngineParameter& parameter = settings_.parameters[p];
      if (parameter.precision == Precision::kBf16) narrow += parameter.spec.numel();
      if (parameter.buffer) {
        largest_buffer = std::max(largest_buffer, parameter.spec.numel());
        continue;
      }
      const int section = arrangement_.section_of_parameter(p);
      if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
    }
    widest = std::max(widest, narrow);
  }
  const auto fp32 = [&](int64_t numel) {
    return context.Allocate(BufferPlace::kDevice, numel * kFloatBytes, MemoryKind::kBuffer);
  };
  if (widest > 0) wide_ = fp32(widest);
  if (largest_buffer > 0) unwanted_ = fp32(largest_buffer);
  if (const int64_t window = TensorWindowNumel(settings_, tensor_ranks_.rank())) tensor_ranks_.Window(window);
}

double ModelRunner::ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch,
                                    int64_t context, float loss_scale, const std::vector<bool>& frozen,
                                    ParameterStore& parameters, const ModelBuffers& buffers, GradientStore& gradients) {
  const int64_t expected = ContextOf(*settings_.model);
  if (context != expected) {
    throw std::invalid_argument(fmt::format("context is {}: the model's is {}", context, expected));
  }
  if (batch < 1) throw std::invalid_argument("batch is 0: expected at least one sequence");

  model_.Begin(inputs, targets, batch, loss_scale);
  Unshard(0, parameters);
  for (int unit = 0; unit < model_.units(); ++unit) Forward(unit, parameters, buffers);
  Unshard(model_.units() - 1, parameters);
  for (int unit = model_.units() - 1; unit >= 0; --unit) {
    Backward(unit, micro_batch, frozen, parameters, buffers, gradients);
  }
  compute_.Synchronize();  // the activations are the next micro-batch's, and the losses are read here
  return model_.Loss();
}

/// Nothing for a unit that does not exist.
void ModelRunner::Unshard(int unit, ParameterStore& parameters) const {
  if (unit < 0 || unit >= model_.units()) return;
  for (const int section : sections_[unit]) parameters.Unshard(section);
}

std::vector<const float*> ModelRunner::Values(int unit, ParameterStore& parameters, const ModelBuffers& buffers) const {
  std::vector<const float*> values(settings_.parameters.size());
  for (const int section : sections_[unit]) parameters.AwaitUnsharded(section);
  float* wide = wide_.as<float>();
  for (const int p : model_.ParametersOf(unit)) {
    const EngineParameter& parameter = settings_.parameters[p];
    const void* compute_values = parameter.buffer ? buffers.Whole(p) : parameters.Whole(p);
    if (parameter.precision == Precision::kFp32) {
      values[p] = static_cast<const float*>(compute_values);
      continue;
    }
    const int64_t numel = parameter.spec.numel();
    compute_.ops().CastToFloat(wide, static_cast<const Bf16*>(compute_values), numel);
    values[p] = wide;
    wide += numel;
  }
  return values;
}

void ModelRunner::Forward(int unit, ParameterStore& parameters, const ModelBuffers& buffers) {
  if (settings_.overlap) Unshard(unit + 1, parameters);
  timeline_.Span(compute_, "forward", unit, [&] { model_.Forward(unit, Values(unit, parameters, buffers)); });
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit == unit) parameters.Reshard(section);
  }
  if (!settings_.overlap) Unshard(unit + 1, parameters);
}

float* ModelRunner::GradientOf(int p) const {
  if (settings_.parameters[p].buffer) return unwanted_.as<float>();
  const int section = arrangement_.section_of_parameter(p);
  return area_[section] + (arrangement_.layout.offset[p] - arrangement_.sections[section].flat_begin);
}

void ModelRunner::Backward(int unit, int micro_batch, const std::vector<bool>& frozen, ParameterStore& parameters,
                           const ModelBuffers& buffers, GradientStore& gradients) {
  if (settings_.overlap) Unshard(unit - 1, parameters);
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit == unit) area_[section] = gradients.Begin(section, micro_batch);
  }
  std::vector<float*> written(settings_.parameters.size());
  for (const int p : model_.ParametersOf(unit)) written[p] = GradientOf(p);
  timeline_.Span(compute_, "backward", unit,
                 [&] { model_.Backward(unit, Values(unit, parameters, buffers), written); });
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].first_unit != unit) continue;
    parameters.Reshard(section);
    FinishSection(section, micro_batch, frozen, gradients);
  }
  if (!settings_.overlap) Unshard(unit - 1, parameters);
}

/// All uses of its parameters have written: what is frozen has no gradient, and each is rounded to its own precision.
void ModelRunner::FinishSection(int section, int micro_batch, const std::vector<bool>& frozen,
                                GradientStore& gradients) {
  for (int p = 0; p < std::ssize(settings_.parameters); ++p) {
    const EngineParameter& parameter = settings_.parameters[p];
    if (parameter.buffer || arrangement_.section_of_parameter(p) != section) continue;
    if (frozen[p]) {
      compute_.ops().Fill(GradientOf(p), 0.0f, parameter.spec.numel());
    } else if (parameter.precision == Precision::kBf16 && settings_.precision == Precision::kFp32) {
      compute_.ops().RoundToBf16(GradientOf(p), parameter.spec.numel());  // a bf16 model rounds its gradients itself
    }
  }
  gradients.Finish(section, micro_batch);
}

}  // namespace zerocts::engine
