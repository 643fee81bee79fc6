// One rank's engine: what happens in a step of data-parallel training whose optimizer state, gradients and parameters
// may be sharded. Written once for all stages, plans, transports and devices.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/stages/arrangement/arrangement.hpp"
#include "impl/stages/arrangement/engine_settings.hpp"
#include "impl/stages/engine/step_position.hpp"
#include "impl/stages/model/model_runner.hpp"
#include "impl/stages/stores/parameter_class.hpp"
#include "reference/optim/hyper_parameters.hpp"
#include "reference/optim/loss_scale.hpp"
#include "reference/optim/step.hpp"

namespace zerocts::engine {

/// What an engine remembers from step to step beside its tensors: the same value on every rank.
struct EngineProgress {
  int64_t steps = 0;  // made so far, skipped ones included
  LossScaleState loss_scale;
  std::vector<HyperParameters> groups;
  std::vector<BetaProducts> products;  // of each parameter
  std::vector<bool> frozen;            // of each parameter
};

struct StepResult {
  float grad_norm = 0;  // of the mean gradient, before clipping
  float clip_coefficient = 1;
  float loss_scale = 1;  // by which this step's gradients were multiplied
  bool skipped = false;  // a gradient was not finite under loss scaling: nothing has changed
};

struct ElementRange {
  int64_t begin = 0, end = 0;  // of one parameter
};

/// The same elements as this rank has them.
struct OwnedRange {
  const OwnedPiece& piece;
  int64_t begin, end;  // of the part of the parameter that `piece` is of
};

/// Errors: std::invalid_argument when a call makes no sense, CollectiveTimeout when a rank did not come.
class Engine {
 public:
  /// initial[p]: fp32 of the host, [numel], equal on all ranks, used during the call only. Collective. Throws
  /// Unimplemented for a plan or order that this build does not have. `expert_groups`: where settings have experts,
  /// the groups of ExpertArrangementOf's mesh.
  Engine(EngineSettings settings, int rank, int world_size, Groups groups, Device& device,
         const std::vector<const float*>& initial, std::optional<Groups> expert_groups = std::nullopt);
  ~Engine();

  /// The gradients of one micro-batch of this rank: gradients[p] of the host, [numel] in the parameter's precision, or
  /// nullptr where there is none. `loss`: a quadratic one, which fills them in; nullptr: they are there. Collective.
  void Accumulate(int64_t step, int64_t micro_batch, const std::vector<const void*>& gradients,
                  const HostLoss* loss = nullptr);
  /// In its place: the engine computes them. inputs [batch, context], targets [batch, targets per sequence]. Returns
  /// the mean loss. Collective.
  double ForwardBackward(int64_t step, int64_t micro_batch, const int32_t* inputs, const int32_t* targets,
                         int64_t batch, int64_t context);

  /// Collective.
  StepResult Step(int64_t step);
  /// After the last micro-batch: makes the mean gradients at once, which Step would do, and returns their norm. They
  /// can be read from then on, as after the step. Collective.
  float SyncGradients(int64_t step);

  /// From the next step on.
  void SetMaxNorm(float max_norm) { max_norm_ = max_norm; }
  void SetGroup(int group, const HyperParameters& values);
  void SetFrozen(int parameter, bool frozen);

  /// The whole parameter in its precision, into exactly `bytes` bytes of the host. Collective in stage 3, and over
  /// tensor ranks.
  void ReadParameter(int parameter, void* host, int64_t bytes);

  // Ranges are of whole parameters, whatever part of them a tensor rank has (engine_reads.cpp).
  /// Elements whose optimizer state this rank holds, ascending.
  std::vector<ElementRange> Owned(int parameter) const;
  /// Whether this rank, of those that hold the same elements with a state, is the one that counts, among the first ones
  /// that hold together all that any holds.
  bool Counts(int parameter) const;
  /// A part of one owned range, as fp32: "master", a moment of the optimizer, or "gradient" (the mean gradient of the
  /// last step, before clipping, until the next micro-batch comes).
  void ReadState(const std::string& state, int parameter, ElementRange range, float* host);

  // A checkpoint (engine_resume.cpp), which has nothing of the step that is begun.
  EngineProgress Progress() const;
  /// For who would lose the micro-batches of the step. Throws std::invalid_argument when there are any.
  void RequireBetweenSteps() const { position_.RequireBetweenSteps(); }
  /// Takes an engine that has made no step to where another one stood: its progress, then its states and buffers, then
  /// AllGatherResumed, which is collective: every rank gets what was written.
  void Resume(const EngineProgress& progress);
  /// A part of one owned range, as ReadState has it.
  void WriteState(const std::string& state, int parameter, ElementRange range, const float* host);
  /// A whole buffer of the model, in its precision.
  void WriteBuffer(int parameter, const void* host);
  void AllGatherResumed();

  /// Waits for all that was enqueued.
  void Synchronize() { streams_.Synchronize(); }

  /// Over all ranks, in place. Collective, at once.
  void SumOverRanks(std::vector<uint64_t>& integers, const char* what);

  const EngineSettings& settings() const { return settings_; }
  const MemoryLedger& memory() const { return ledger_; }
  Timeline& timeline() { return timeline_; }
  const Layout& layout() const { return dense().arrangement.layout; }
  /// [parameters]: -1 for what has no storage of its own, and for buffers.
  std::vector<int> BucketOfParameter() const;

 private:
  void RequireParameter(int parameter) const;
  void RequireOnThisRank(int parameter) const;
  const ParameterClass& dense() const { return *classes_.front(); }
  ParameterClass& dense() { return *classes_.front(); }
  ParameterClass& ClassOf(int parameter) { return *classes_[settings_.parameters[parameter].expert < 0 ? 0 : 1]; }
  const ParameterClass& ClassOf(int parameter) const {
    return *classes_[settings_.parameters[parameter].expert < 0 ? 0 : 1];
  }
  OwnedRange OwnedRangeOf(int parameter, ElementRange range) const;
  const float* StateOf(const std::string& state, const OwnedPiece& piece) const;
  void CopyOut(void* host, const void* values, int64_t bytes);
  void ReadOwn(int parameter, void* host, int64_t bytes);
  void GatherParts(const ParameterPart& part, int64_t element_bytes, std::span<const std::byte> own,
                   std::span<std::byte> whole);
  void SumOverTensorRanks(std::span<uint64_t> integers, const char* what);
  void SumOverTensorRanks(std::vector<WholeTensorSums>& sums);
  float CompleteGradients();
  std::vector<ParameterStep> WhatIsUpdated();
  void UpdateAndAllGather(ParameterClass& part, const std::vector<ParameterStep>& steps, float clip);

  const EngineSettings settings_;
  const int rank_;
  Device& device_;
  Timeline timeline_;
  Streams streams_;
  MemoryLedger ledger_;
  std::vector<std::unique_ptr<ParameterClass>> classes_;  // dense, and where there are experts this rank's
  std::optional<ModelRunner> model_;                      // where the engine computes it

  StepPosition position_;
  std::optional<float> synced_norm_;  // of this step, once its gradients are synced
  LossScaleState loss_scale_;
  float max_norm_;
  std::vector<HyperParameters> groups_of_parameters_;
  std::vector<BetaProducts> products_;  // of each parameter
  std::vector<bool> frozen_;
};

/// Throws Unimplemented for a plan or order that this build does not have, std::invalid_argument for what makes no
/// sense. Local: to be refused before ranks wait for each other.
void RequireServed(const EngineSettings& settings, int world_size);

}  // namespace zerocts::engine
