// Loss scaling: the loss, hence every gradient, is multiplied by a scale; a step whose gradients overflow is skipped
// and a dynamic scale follows an automaton. Pure functions.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

enum class LossScaleKind { kNone, kStatic, kDynamic };
std::string ToString(LossScaleKind kind);  // "none", "static", "dynamic"
LossScaleKind LossScaleKindFromString(const std::string& name);

struct LossScaling {
  LossScaleKind kind = LossScaleKind::kNone;
  float scale = 65536.0f;  // at the first step
  // Dynamic:
  float growth_factor = 2.0f;
  float backoff_factor = 0.5f;
  int64_t growth_interval = 2000;
  int64_t hysteresis = 1;  // so many overflows are borne before the scale backs off
  bool renew_hysteresis = false;
  float minimum = 1.0f;
  friend bool operator==(const LossScaling&, const LossScaling&) = default;
};

/// What the automaton remembers between steps.
struct LossScaleState {
  float scale = 1.0f;
  int64_t good_steps = 0;  // without overflow since the last overflow or growth
  int64_t patience = 1;    // overflows that are left before the scale backs off
  friend bool operator==(const LossScaleState&, const LossScaleState&) = default;
};

/// kNone: a scale of 1.
LossScaleState InitialLossScale(const LossScaling& scaling);

/// After a step in which a gradient was (not) finite. Dynamic only; otherwise the state stays as it is.
///   overflow: good_steps = 0; patience = max(patience - 1, 0); when it is 0, scale = max(scale * backoff, minimum)
///   no overflow: good_steps + 1; at growth_interval: good_steps = 0, patience = hysteresis and
///                scale = scale * growth, unless that is not finite
/// With a hysteresis of 1 and a minimum that is never reached this is torch.amp.GradScaler (torch_formula_test.cpp has
/// its scales). Hysteresis and minimum are as Megatron-LM and DeepSpeed describe theirs; those were not run against.
/// `renew_hysteresis` (DeepSpeed's consecutive_hysteresis): every good step sets patience back to the hysteresis.
/// A skipped step is a step all the same for schedules and data: they go by step number.
LossScaleState NextLossScale(const LossScaling& scaling, LossScaleState state, bool overflow);

/// By what a scaled gradient is multiplied: 1 / scale, rounded once.
float UnscaleFactor(const LossScaleState& state);

/// Are steps with gradients that are not finite skipped? With kNone they are taken, and NaN goes where it goes.
bool SkipsOverflow(const LossScaling& scaling);

}  // namespace zerocts
