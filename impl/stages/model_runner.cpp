#include "impl/stages/model_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace zerocts {
ModelRunner::ModelRunner(const EngineSettings& settings, const Arrangement& arrangement, Device& device,
                         DeviceStream& compute, Timeline& timeline, MemoryLedger& ledger)
    : settings_(settings),
      arrangement_(arrangement),
      compute_(compute),
      timeline_(timeline),
      tensors_(device, compute),
      model_(*settings.model, settings.precision, compute.ops(), tensors_),
      area_(arrangement.sections.size()) {
  int64_t widest = 0;
  for (int unit = 0; unit < model_.units(); ++unit) {
    std::vector<int>& sections = sections_.emplace_back();
    int64_t numel = 0;
    for (const int p : model_.ParametersOf(unit)) {
      const int section = arrangement.section_of_parameter(p);
      if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
      numel += model_.parameters()[p].numel();
    }
    widest = std::max(widest, numel);
  }
  if (settings.precision == Precision::kBf16) {
    wide_ = Buffer::OfDevice(device, widest * static_cast<int64_t>(sizeof(float)), MemoryKind::kBuffer, ledger);
  }
}

double ModelRunner::ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch,
                                    int64_t context, float loss_scale, const std::vector<bool>& frozen,
                                    ParameterStore& parameters, GradientStore& gradients) {
  const int64_t expected = ContextOf(*settings_.model);
  if (context != expected) {
    throw std::invalid_argument(fmt::format("context is {}: the model's is {}", context, expected));
  }
  if (batch < 1) throw std::invalid_argument("batch is 0: expected at least one sequence");

  model_.Begin(inputs, targets, batch, loss_scale);
  Unshard(0, parameters);
  for (int unit = 0; unit < model_.units(); ++unit) Forward(unit, parameters);
  Unshard(model_.units() - 1, parameters);
  for (int unit = model_.units() - 1; unit >= 0; --unit) Backward(unit, micro_batch, frozen, parameters, gradients);
  compute_.Synchronize();  // the activations are the next micro-batch's, and the losses are read here
  return model_.Loss();
}

/// Nothing for a unit that does not exist.
void ModelRunner::Unshard(int unit, ParameterStore& parameters) const {
  if (unit < 0 || unit >= model_.units()) return;
  for (const int section : sections_[unit]) parameters.Unshard(section);
}

std::vector<const float*> ModelRunner::Values(int unit, ParameterStore& parameters) const {
  std::vector<const float*> values(settings_.parameters.size());
  for (const int section : sections_[unit]) parameters.AwaitUnsharded(section);
  float* wide = wide_.as<float>();
  for (const int p : model_.ParametersOf(unit)) {
    if (settings_.precision == Precision::kFp32) {
      values[p] = static_cast<const float*>(parameters.Whole(p));
      continue;
    }
    const int64_t numel = model_.parameters()[p].numel();
    compute_.ops().CastToFloat(wide, static_cast<const Bf16*>(parameters.Whole(p)), numel);
    values[p] = wide;
    wide += numel;
  }
  return values;
}

void ModelRunner::Forward(int unit, ParameterStore& parameters) {
  if (settings_.overlap) Unshard(unit + 1, parameters);
  timeline_.Span(compute_, "forward", unit, [&] { model_.Forward(unit, Values(unit, parameters)); });
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit == unit) parameters.Reshard(section);
  }
  if (!settings_.overlap) Unshard(unit + 1, parameters);
}

float* ModelRunner::GradientOf(int p) const {
  const int section = arrangement_.section_of_parameter(p);
  return area_[section] + (arrangement_.layout.offset[p] - arrangement_.sections[section].flat_begin);
}

void ModelRunner::Backward(int unit, int micro_batch, const std::vector<bool>& frozen, ParameterStore& parameters,
                           GradientStore& gradients) {
  if (settings_.overlap) Unshard(unit - 1, parameters);
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit == unit) area_[section] = gradients.Begin(section, micro_batch);
  }
  std::vector<float*> written(settings_.parameters.size());
  for (const int p : model_.ParametersOf(unit)) written[p] = GradientOf(p);
  timeline_.Span(compute_, "backward", unit, [&] { model_.Backward(unit, Values(unit, parameters), written); });
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].first_unit != unit) continue;
    parameters.Reshard(section);
    for (size_t p = 0; p < frozen.size(); ++p) {
      if (frozen[p] && arrangement_.section_of_parameter(p) == section) {
        compute_.ops().Fill(GradientOf(p), 0.0f, arrangement_.layout.numel[p]);
      }
    }
    gradients.Finish(section, micro_batch);
  }
  if (!settings_.overlap) Unshard(unit - 1, parameters);
}

}  // namespace zerocts
