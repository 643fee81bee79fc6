// A session without ranks, for tests of the suite itself.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "conformance/host/conductor/launcher_kind.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// A subject that declares everything that version 1.0 of the ABI can say.
inline Capabilities AbleToDoAllOfVersion10() {
  Capabilities can;
  can.stages = {0, 1, 2, 3};
  can.param_dtypes = {Precision::kFp32, Precision::kBf16};
  can.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  can.max_world_size = 8;
  can.reduction_orders = {"rank"};
  can.plans = {"contiguous", "padded"};
  can.bucket_cap_bytes = can.clip = can.accumulation = can.groups = can.set_group = true;
  can.states = {"master", "momentum", "exp_avg", "exp_avg_sq"};
  can.models = {"mlp", "gpt"};
  return can;
}

/// A subject that declares everything.
inline Capabilities AbleToDoAnything() {
  Capabilities can = AbleToDoAllOfVersion10();
  can.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
  can.replicas = can.frozen = can.missing_gradients = can.tied = can.buffers = can.mixed_dtypes = can.sgd_variants =
      true;
  can.overlap = can.timeline = can.events = can.traffic = can.memory_estimate = can.checkpoint =
      can.checkpoint_reshard = true;
  can.gradient_sync = {GradientSync::kLast, GradientSync::kEach};
  can.accumulation_dtypes = can.reduce_dtypes = {Precision::kFp32, Precision::kBf16};
  can.clip_norms = {NormKind::kTwo, NormKind::kOne, NormKind::kInfinity};
  can.clip_formulas = {ClipFormula::kMin,       ClipFormula::kTorch,         ClipFormula::kAbove,
                       ClipFormula::kDeepSpeed, ClipFormula::kDeepSpeedFp64, ClipFormula::kDeepSpeedReciprocal};
  can.loss_scaling = {LossScaleKind::kStatic, LossScaleKind::kDynamic};
  can.offload = {Offload::kNone, Offload::kParams, Offload::kFull};
  can.losses = {LossShape::kLinear, LossShape::kQuadratic};
  can.tensor_parallel = {1, 2, 3, 4};
  can.tensor_parts = {PartSizes::kEven, PartSizes::kCeil};
  can.checkpoint_tensor = can.vocab_parallel = can.sequence_parallel = can.kv_heads = can.experts =
      can.expert_replicas = true;
  can.expert_divisors = {ExpertDivisor::kWorld, ExpertDivisor::kGroup};
  return can;
}

inline SessionSettings TestSettings() {
  SessionSettings settings;
  settings.info.name = "stand-in";
  settings.info.capabilities = AbleToDoAnything();
  settings.launchers = {LauncherKind::kThreads};
  settings.progress = false;
  return settings;
}

/// An open session with a folder of its own, both gone at the end.
class TestSession {
 public:
  explicit TestSession(Runner runner, SessionSettings settings = TestSettings()) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("zerocts-contract-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    settings.out_dir = folder_;
    session_.emplace(std::move(settings), std::move(runner));
  }
  ~TestSession() {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }
  Session& get() { return *session_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::optional<Session> session_;
  std::filesystem::path folder_;
};

}  // namespace zerocts
