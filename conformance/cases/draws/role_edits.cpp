#include "conformance/cases/draws/role_edits.hpp"

#include <algorithm>
#include <numeric>

namespace zerocts {
namespace {

constexpr int kGone = -1;

/// Renames the parameter of each item; items of parameters that are gone go too.
template <typename Item, typename NewIndex>
void Renumber(std::vector<Item>& items, int Item::*parameter, NewIndex new_index) {
  for (Item& item : items) item.*parameter = new_index(item.*parameter);
  std::erase_if(items, [&](const Item& item) { return item.*parameter == kGone; });
}

template <typename NewIndex>
void RenumberAll(Experiment& e, NewIndex new_index) {
  ParameterRoles& roles = e.roles;
  Renumber(roles.frozen, &StepSpan::parameter, new_index);
  Renumber(roles.without_gradient, &StepSpan::parameter, new_index);
  Renumber(roles.missing, &MissingGradient::parameter, new_index);
  Renumber(roles.tied, &TiedParameter::parameter, new_index);
  Renumber(roles.tied, &TiedParameter::owner, new_index);
  Renumber(roles.precisions, &ParameterPrecision::parameter, new_index);
  Renumber(e.planted, &PlantedValue::parameter, new_index);
  Renumber(e.experts.parameters, &ExpertParameter::parameter, new_index);
  for (int& buffer : roles.buffers) buffer = new_index(buffer);
  std::erase(roles.buffers, kGone);
}

}  // namespace

void InsertParameter(Experiment& e, int position, ParameterSpec parameter) {
  e.parameters.insert(e.parameters.begin() + position, std::move(parameter));
  RenumberAll(e, [&](int old) { return old < position ? old : old + 1; });
}

void KeepParameters(Experiment& e, const std::function<bool(int)>& keep) {
  std::vector<int> new_index;
  std::vector<ParameterSpec> kept;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const bool stays = keep(static_cast<int>(p));
    new_index.push_back(stays ? static_cast<int>(kept.size()) : kGone);
    if (stays) kept.push_back(e.parameters[p]);
  }
  e.parameters = std::move(kept);
  RenumberAll(e, [&](int old) { return new_index[static_cast<size_t>(old)]; });
}

void DropWhatDoesNotFit(Case& c) {
  Experiment& e = c.experiment;
  const int64_t micro_batches = int64_t{e.world_size} * e.micro_batches;
  const auto is_outside = [&](const auto& position) {
    return position.step >= e.steps || position.g >= micro_batches ||
           !e.experts.Has(static_cast<int>(position.g / e.micro_batches), position.parameter);
  };
  std::erase_if(e.roles.missing, is_outside);
  std::erase_if(e.planted, [&](const PlantedValue& planted) {
    return is_outside(planted) || planted.element >= e.parameters[static_cast<size_t>(planted.parameter)].numel();
  });
  const auto begins_late = [&](const StepSpan& span) { return span.begin >= e.steps; };
  std::erase_if(e.roles.frozen, begins_late);
  std::erase_if(e.roles.without_gradient, begins_late);
  std::erase_if(c.extra_calls, [&](const ExtraCall& call) { return call.step >= e.steps; });
  for (ExtraCall& call : c.extra_calls) call.micro_batches = std::min(call.micro_batches, e.micro_batches);
  std::erase_if(c.extra_calls, [&](const ExtraCall& call) {
    return call.kind == ExtraCallKind::kEarlyStep && call.micro_batches == e.micro_batches;
  });
  c.replicas = std::gcd(e.world_size, c.replicas);
}

}  // namespace zerocts
