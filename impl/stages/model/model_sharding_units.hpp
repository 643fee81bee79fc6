// What happens to the sharding units of one class of parameters while a model computes with them: they are gathered
// before a unit of the model needs them and released after it, and their gradients are summed once all their uses
// have written. A `unit` is one of the model here, a `sharding_unit` is one of Arrangement::sharding_units.
#pragma once
#include <vector>

#include "impl/stages/stores/parameter_class.hpp"
#include "reference/model/model.hpp"

namespace zerocts::engine {

class ModelShardingUnits {
 public:
  ModelShardingUnits(ParameterClass& its_class, const Model& model);

  /// Whether the parameter is of this class and has storage of its own.
  bool Has(int parameter) const;
  int64_t numel(int parameter) const { return its_class_.own_settings.parameters[parameter].spec.numel(); }

  /// Begins to gather what the unit computes with.
  void Unshard(int unit);
  void AwaitUnsharded(int unit);
  const void* Whole(int parameter) const { return its_class_.stores.parameters->Whole(parameter); }
  void FinishForward(int unit);

  void BeginBackward(int unit, int micro_batch);
  /// Where backward writes it.
  float* GradientOf(int parameter) const;
  void FinishBackward(int unit, int micro_batch, const std::vector<bool>& frozen);

 private:
  void FinishShardingUnit(int sharding_unit, int micro_batch, const std::vector<bool>& frozen);

  ParameterClass& its_class_;
  const Arrangement& arrangement_;
  std::vector<std::vector<int>> sharding_units_;  // [units]: those that a unit computes with
  std::vector<float*> area_;                      // [sharding_units]: where backward writes now
};

}  // namespace zerocts::engine
