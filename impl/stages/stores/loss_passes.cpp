#include "impl/stages/stores/loss_passes.hpp"

#include <algorithm>

namespace zerocts::engine {

LossPasses::LossPasses(const RankContext& context, const std::vector<std::vector<int>>& names)
    : settings_(context.settings),
      arrangement_(context.arrangement),
      names_(names),
      device_(context.device),
      compute_(*context.streams.compute) {}

void LossPasses::Forward(const GivenLoss& given, ParameterStore& parameters) {
  const int units = static_cast<int>(arrangement_.sharding_units.size());
  Unshard(0, parameters);
  for (int unit = 0; unit < units; ++unit) {
    if (settings_.overlap) Unshard(unit + 1, parameters);
    Hand(unit, given, given.loss.forward, parameters);
    parameters.Reshard(unit);
    if (!settings_.overlap) Unshard(unit + 1, parameters);
  }
  Unshard(units - 1, parameters);
}

void LossPasses::Backward(int unit, const GivenLoss& given, ParameterStore& parameters) {
  if (settings_.overlap) Unshard(unit - 1, parameters);
  Hand(unit, given, given.loss.backward, parameters);
  parameters.Reshard(unit);
  if (!settings_.overlap) Unshard(unit - 1, parameters);
}

/// Nothing for a sharding unit that does not exist.
void LossPasses::Unshard(int unit, ParameterStore& parameters) const {
  if (unit >= 0 && unit < std::ssize(arrangement_.sharding_units)) parameters.Unshard(unit);
}

void LossPasses::Hand(int unit, const GivenLoss& given, const HostLoss::Pass& pass, ParameterStore& parameters) {
  const ShardingUnit& s = arrangement_.sharding_units[unit];
  parameters.AwaitUnsharded(unit);
  for (int bucket = s.first_bucket; bucket < s.end_bucket; ++bucket) {
    for (const int owner : arrangement_.layout.buckets[bucket].parameters) {
      const auto is_given = [&](int name) { return given.gradients[name] != nullptr; };
      if (std::ranges::none_of(names_[owner], is_given)) continue;  // a tied name or a buffer has no place here
      const EngineParameter& parameter = settings_.parameters[owner];
      const int64_t bytes = parameter.spec.numel() * ElementBytes(parameter.precision);
      values_.resize(static_cast<size_t>(bytes));
      device_.CopyToHost(values_.data(), parameters.Whole(owner), bytes, compute_);
      compute_.Synchronize();
      for (const int name : names_[owner]) {
        if (is_given(name)) pass(name, values_.data());
      }
    }
  }
}

}  // namespace zerocts::engine
