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

bool ParameterRoles::HasState(int parameter) const { return !IsBuffer(parameter) && OwnerOf(parameter) == parameter; }

bool ParameterRoles::IsUpdated(int parameter, int64_t step) const {
  if (!HasState(parameter)) return false;
  return GivesGradient(parameter, step) || std::ranges::any_of(tied, [&](const TiedParameter& tie) {
           return tie.owner == parameter && GivesGradient(tie.parameter, step);
         });
}

Precision ParameterRoles::PrecisionOf(int parameter, Precision usual) const {
  for (const ParameterPrecision& entry : precisions) {
    if (entry.parameter == OwnerOf(parameter)) return entry.precision;
  }
  return usual;
}

}  // namespace zerocts
