#include "impl/stages/model/model_sharding_units.hpp"

#include <algorithm>

namespace zerocts::engine {

ModelShardingUnits::ModelShardingUnits(ParameterClass& its_class, const Model& model)
    : its_class_(its_class), arrangement_(its_class.arrangement), area_(arrangement_.sharding_units.size()) {
  for (int unit = 0; unit < model.units(); ++unit) {
    std::vector<int>& sharding_units = sharding_units_.emplace_back();
    for (const int p : model.ParametersOf(unit)) {
      if (!Has(p)) continue;
      const int sharding_unit = arrangement_.sharding_unit_of_parameter(p);
      if (std::find(sharding_units.begin(), sharding_units.end(), sharding_unit) == sharding_units.end())
        sharding_units.push_back(sharding_unit);
    }
  }
}

bool ModelShardingUnits::Has(int parameter) const {
  const EngineParameter& asked = its_class_.own_settings.parameters[parameter];
  return !asked.buffer && asked.expert == arrangement_.expert;
}

void ModelShardingUnits::Unshard(int unit) {
  for (const int sharding_unit : sharding_units_[unit]) its_class_.stores.parameters->Unshard(sharding_unit);
}

void ModelShardingUnits::AwaitUnsharded(int unit) {
  for (const int sharding_unit : sharding_units_[unit]) its_class_.stores.parameters->AwaitUnsharded(sharding_unit);
}

void ModelShardingUnits::FinishForward(int unit) {
  for (const int sharding_unit : sharding_units_[unit]) {
    if (arrangement_.sharding_units[sharding_unit].last_unit == unit)
      its_class_.stores.parameters->Reshard(sharding_unit);
  }
}

void ModelShardingUnits::BeginBackward(int unit, int micro_batch) {
  for (const int sharding_unit : sharding_units_[unit]) {
    if (arrangement_.sharding_units[sharding_unit].last_unit != unit) continue;
    area_[sharding_unit] = its_class_.stores.gradients.Begin(sharding_unit, micro_batch);
  }
}

float* ModelShardingUnits::GradientOf(int p) const {
  const int sharding_unit = arrangement_.sharding_unit_of_parameter(p);
  return area_[sharding_unit] + (arrangement_.layout.offset[p] - arrangement_.sharding_units[sharding_unit].flat_begin);
}

void ModelShardingUnits::FinishBackward(int unit, int micro_batch, const std::vector<bool>& frozen) {
  for (const int sharding_unit : sharding_units_[unit]) {
    if (arrangement_.sharding_units[sharding_unit].first_unit != unit) continue;
    its_class_.stores.parameters->Reshard(sharding_unit);
    FinishShardingUnit(sharding_unit, micro_batch, frozen);
  }
}

/// All uses of its parameters have written: what is frozen has no gradient, and each is rounded to its own precision.
void ModelShardingUnits::FinishShardingUnit(int sharding_unit, int micro_batch, const std::vector<bool>& frozen) {
  const EngineSettings& settings = its_class_.own_settings;
  Ops& ops = its_class_.context.streams.compute->ops();
  for (int p = 0; p < std::ssize(settings.parameters); ++p) {
    if (!Has(p) || arrangement_.sharding_unit_of_parameter(p) != sharding_unit) continue;
    if (frozen[p]) {
      ops.Fill(GradientOf(p), 0.0f, numel(p));
    } else if (settings.parameters[p].precision == Precision::kBf16 && settings.precision == Precision::kFp32) {
      ops.RoundToBf16(GradientOf(p), numel(p));  // a bf16 model rounds its gradients itself
    }
  }
  its_class_.stores.gradients.Finish(sharding_unit, micro_batch);
}

}  // namespace zerocts::engine
