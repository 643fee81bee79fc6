// One rank's engine: what happens in a step of data-parallel training with a (possibly sharded) optimizer. Written once
// for all stages, transports and devices.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impl/stages/buffer.hpp"
#include "impl/stages/gradient_buffer.hpp"
#include "impl/stages/model_runner.hpp"
#include "impl/stages/optimizer_state.hpp"
#include "impl/stages/parameter_buffer.hpp"
#include "impl/stages/stage.hpp"
#include "impl/stages/step_position.hpp"
#include "impl/stages/upload.hpp"
#include "reference/model/model.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

struct EngineSettings {
  int stage = 1;
  std::string plan = "contiguous";
  std::string reduction_order = "rank";  // "rank" or "ring"

  std::vector<ParameterSpec> parameters;
  Precision precision = Precision::kFp32;  // of compute parameters and of given gradients
  OptimizerKind optimizer = OptimizerKind::kSgd;
  std::vector<HyperParameters> groups;
  int micro_batches = 1;  // K per rank and step
  float max_norm = 0;     // 0: no clipping
  float clip_epsilon = 1e-6f;
  std::optional<ModelSpec> model;  // when the engine computes gradients itself
};

struct StepResult {
  float grad_norm = 0;  // of the mean gradient, before clipping
  float clip_coefficient = 1;
};

struct ElementRange {
  int64_t begin = 0, end = 0;  // of one parameter
};

/// Errors: std::invalid_argument when a call makes no sense, CollectiveTimeout when a rank did not come.
class Engine {
 public:
  /// initial[p]: fp32 of the host, [numel], equal on all ranks, used during the call only. Collective.
  Engine(EngineSettings settings, std::unique_ptr<Stage> stage, Communicator& comm, Device& device,
         const std::vector<const float*>& initial);

  /// The gradients of one micro-batch of this rank: gradients[p] of the host, [numel] in the settings' precision.
  void Accumulate(int64_t step, int64_t micro_batch, const std::vector<const void*>& gradients);
  /// In its place: the engine computes them. inputs [batch, context], targets [batch]. Returns the mean loss.
  double ForwardBackward(int64_t step, int64_t micro_batch, const int32_t* inputs, const int32_t* targets,
                         int64_t batch, int64_t context);

  /// Collective.
  StepResult Step(int64_t step);

  /// From the next step on.
  void SetGroup(int group, const HyperParameters& values);

  /// The whole parameter in the settings' precision, into exactly `bytes` bytes of the host.
  void ReadParameter(int parameter, void* host, int64_t bytes);

  /// Elements whose optimizer state this rank holds, ascending.
  std::vector<ElementRange> Owned(int parameter) const;
  /// A part of one owned range, as fp32: "master", a moment of the optimizer, or "gradient" (the mean gradient of the
  /// last step, before clipping, until the next micro-batch comes).
  void ReadState(const std::string& state, int parameter, ElementRange range, float* host);

  MemoryLedger Memory() const;

 private:
  void RequireParameter(int parameter) const;
  const float* ShardOfState(const std::string& state) const;
  float* MeanGradient() const { return gradients_.data() + shard_.begin; }
  float GradientNorm();

  const EngineSettings settings_;
  const std::unique_ptr<Stage> stage_;
  Communicator& comm_;
  Device& device_;
  const std::unique_ptr<DeviceStream> stream_;
  const Layout layout_;
  const Shard shard_;  // whose optimizer state this rank holds

  MemoryLedger ledger_;
  Upload upload_;
  ParameterBuffer parameters_;
  GradientBuffer gradients_;
  OptimizerState optimizer_;
  Buffer squares_;  // one SumOfSquares
  std::optional<ModelRunner> model_;

  StepPosition position_;
  std::vector<HyperParameters> groups_;
  std::vector<BetaProducts> products_;  // of each group
};

/// Throws Unimplemented for a stage, plan or order that this build does not have. Local: to be refused before ranks
/// wait for each other.
void RequireServed(const EngineSettings& settings);

/// Collective. Throws like RequireServed.
std::unique_ptr<Engine> MakeEngine(const EngineSettings& settings, Communicator& comm, Device& device,
                                   const std::vector<const float*>& initial);

}  // namespace zerocts
