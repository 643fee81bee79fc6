#include "reference/optim/loss_scale.hpp"

#include <algorithm>
#include <cmath>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<LossScaleKind> kLossScaleNames[] = {
    {LossScaleKind::kNone, "none"}, {LossScaleKind::kStatic, "static"}, {LossScaleKind::kDynamic, "dynamic"}};

LossScaleState AfterOverflow(const LossScaling& scaling, LossScaleState state) {
  state.good_steps = 0;
  state.patience = std::max<int64_t>(state.patience - 1, 0);
  if (state.patience == 0) state.scale = std::max(state.scale * scaling.backoff_factor, scaling.minimum);
  return state;
}

LossScaleState AfterGoodStep(const LossScaling& scaling, LossScaleState state) {
  if (scaling.renew_hysteresis) state.patience = scaling.hysteresis;
  if (++state.good_steps < scaling.growth_interval) return state;
  state.good_steps = 0;
  state.patience = scaling.hysteresis;
  const float grown = state.scale * scaling.growth_factor;
  if (std::isfinite(grown)) state.scale = grown;
  return state;
}

}  // namespace

std::string ToString(LossScaleKind kind) { return NameOf(kLossScaleNames, kind); }
LossScaleKind LossScaleKindFromString(const std::string& name) { return FromName(kLossScaleNames, "kind", name); }

LossScaleState InitialLossScale(const LossScaling& scaling) {
  return {scaling.kind == LossScaleKind::kNone ? 1.0f : scaling.scale, 0, scaling.hysteresis};
}

LossScaleState NextLossScale(const LossScaling& scaling, LossScaleState state, bool overflow) {
  if (scaling.kind != LossScaleKind::kDynamic) return state;
  return overflow ? AfterOverflow(scaling, state) : AfterGoodStep(scaling, state);
}

float UnscaleFactor(const LossScaleState& state) { return 1.0f / state.scale; }

bool SkipsOverflow(const LossScaling& scaling) { return scaling.kind != LossScaleKind::kNone; }

}  // namespace zerocts
