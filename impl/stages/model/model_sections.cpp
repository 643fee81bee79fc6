#include "impl/stages/model/model_sections.hpp"

#include <algorithm>

namespace zerocts::engine {

ModelSections::ModelSections(ParameterClass& its_class, const Model& model)
    : its_class_(its_class), arrangement_(its_class.arrangement), area_(arrangement_.sections.size()) {
  for (int unit = 0; unit < model.units(); ++unit) {
    std::vector<int>& sections = sections_.emplace_back();
    for (const int p : model.ParametersOf(unit)) {
      if (!Has(p)) continue;
      const int section = arrangement_.section_of_parameter(p);
      if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
    }
  }
}

bool ModelSections::Has(int parameter) const {
  const EngineParameter& asked = its_class_.own_settings.parameters[parameter];
  return !asked.buffer && asked.expert == arrangement_.expert;
}

void ModelSections::Unshard(int unit) {
  for (const int section : sections_[unit]) its_class_.stores.parameters->Unshard(section);
}

void ModelSections::AwaitUnsharded(int unit) {
  for (const int section : sections_[unit]) its_class_.stores.parameters->AwaitUnsharded(section);
}

void ModelSections::FinishForward(int unit) {
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit == unit) its_class_.stores.parameters->Reshard(section);
  }
}

void ModelSections::BeginBackward(int unit, int micro_batch) {
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].last_unit != unit) continue;
    area_[section] = its_class_.stores.gradients.Begin(section, micro_batch);
  }
}

float* ModelSections::GradientOf(int p) const {
  const int section = arrangement_.section_of_parameter(p);
  return area_[section] + (arrangement_.layout.offset[p] - arrangement_.sections[section].flat_begin);
}

void ModelSections::FinishBackward(int unit, int micro_batch, const std::vector<bool>& frozen) {
  for (const int section : sections_[unit]) {
    if (arrangement_.sections[section].first_unit != unit) continue;
    its_class_.stores.parameters->Reshard(section);
    FinishSection(section, micro_batch, frozen);
  }
}

/// All uses of its parameters have written: what is frozen has no gradient, and each is rounded to its own precision.
void ModelSections::FinishSection(int section, int micro_batch, const std::vector<bool>& frozen) {
  const EngineSettings& settings = its_class_.own_settings;
  Ops& ops = its_class_.context.streams.compute->ops();
  for (int p = 0; p < std::ssize(settings.parameters); ++p) {
    if (!Has(p) || arrangement_.section_of_parameter(p) != section) continue;
    if (frozen[p]) {
      ops.Fill(GradientOf(p), 0.0f, numel(p));
    } else if (settings.parameters[p].precision == Precision::kBf16 && settings.precision == Precision::kFp32) {
      ops.RoundToBf16(GradientOf(p), numel(p));  // a bf16 model rounds its gradients itself
    }
  }
  its_class_.stores.gradients.Finish(section, micro_batch);
}

}  // namespace zerocts::engine
