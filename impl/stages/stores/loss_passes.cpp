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
  const int sections = static_cast<int>(arrangement_.sections.size());
  Unshard(0, parameters);
  for (int section = 0; section < sections; ++section) {
    if (settings_.overlap) Unshard(section + 1, parameters);
    Hand(section, given, given.loss.forward, parameters);
    parameters.Reshard(section);
    if (!settings_.overlap) Unshard(section + 1, parameters);
  }
  Unshard(sections - 1, parameters);
}

void LossPasses::Backward(int section, const GivenLoss& given, ParameterStore& parameters) {
  if (settings_.overlap) Unshard(section - 1, parameters);
  Hand(section, given, given.loss.backward, parameters);
  parameters.Reshard(section);
  if (!settings_.overlap) Unshard(section - 1, parameters);
}

/// Nothing for a section that does not exist.
void LossPasses::Unshard(int section, ParameterStore& parameters) const {
  if (section >= 0 && section < std::ssize(arrangement_.sections)) parameters.Unshard(section);
}

void LossPasses::Hand(int section, const GivenLoss& given, const HostLoss::Pass& pass, ParameterStore& parameters) {
  const Section& s = arrangement_.sections[section];
  parameters.AwaitUnsharded(section);
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
