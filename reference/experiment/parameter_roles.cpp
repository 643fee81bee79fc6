#include "reference/experiment/parameter_roles.hpp"

#include <algorithm>

namespace zerocts {
namespace {

bool Covers(const std::vector<StepSpan>& spans, int parameter, int64_t step) {
  return std::ranges::any_of(spans, [&](const StepSpan& span) {
    return span.parameter == parameter && span.begin <= step && step < span.end;
  });
}

}  // namespace

bool ParameterRoles::IsBuffer(int parameter) const { return std::ranges::count(buffers, parameter) > 0; }

int ParameterRoles::OwnerOf(int parameter) const {
  for (const TiedParameter& tie : tied) {
    if (tie.parameter == parameter) return tie.owner;
  }
  return parameter;
}

bool ParameterRoles::IsFrozen(int parameter, int64_t step) const { return Covers(frozen, OwnerOf(parameter), step); }

bool ParameterRoles::GivesGradient(int parameter, int64_t step) const {
  return !IsBuffer(parameter) && !IsFrozen(parameter, step) && !Covers(without_gradient, parameter, step);
}

bool ParameterRoles::GivesGradient(int parameter, int64_t step, int64_t g) const {
  return GivesGradient(parameter, step) && std::ranges::count(missing, MissingGradient{parameter, step, g}) == 0;
}

bool ParameterRoles::HasState(int parameter) const { return !IsBuffer(parameter) && OwnerOf(parameter) == parameter; }

bool ParameterRoles::IsUpdated(int parameter, int64_t step, int64_t micro_batches) const {
  if (!HasState(parameter)) return false;
  const auto gives = [&](int name) {
    const auto is_missing = [&](const MissingGradient& m) { return m.parameter == name && m.step == step; };
    return GivesGradient(name, step) && std::ranges::count_if(missing, is_missing) < micro_batches;
  };
  return gives(parameter) || std::ranges::any_of(tied, [&](const TiedParameter& tie) {
           return tie.owner == parameter && gives(tie.parameter);
         });
}

Precision ParameterRoles::PrecisionOf(int parameter, Precision usual) const {
  for (const ParameterPrecision& entry : precisions) {
    if (entry.parameter == OwnerOf(parameter)) return entry.precision;
  }
  return usual;
}

}  // namespace zerocts
