// One rank's ZeRO engine. Per step: Accumulate for each micro-batch, then Step.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <zerocts/library/communicator.hpp>
#include <zerocts/library/settings.hpp>

namespace zerocts::library {

struct StepResult {
  float grad_norm = 0;  // of all gradients, before clipping; the same bits on every rank
  float clip_coefficient = 1;
};

/// Elements [begin, end) of one parameter.
struct ElementRange {
  int64_t begin = 0, end = 0;
};

/// Where an engine stands between two steps: a value that is whole and the same on every rank, whatever stage, plan and
/// number of ranks made it.
struct Checkpoint {
  struct ParameterProgress {
    double beta1_product = 1, beta2_product = 1;  // of the steps that it took
    int64_t steps = 0, momentum_steps = 0;
    bool frozen = false;
  };
  int64_t steps = 0;
  std::vector<HyperParameters> groups;
  std::vector<ParameterProgress> parameters;
  std::map<std::string, std::vector<std::vector<float>>> states;  // as in ReadState: [parameters][all elements]
};

class ZEROCTS_EXPORTED Engine {
 public:
  /// initial[p]: all elements of parameter p, equal on all ranks. Collective.
  Engine(const Communicator& ranks, const EngineSettings& settings, const std::vector<std::vector<float>>& initial);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// The gradients of one micro-batch of this rank: gradients[p] of the host, all elements in the parameter's
  /// precision, or nullptr where there is none. Collective.
  void Accumulate(const std::vector<const void*>& gradients);
  /// The same from fp32, which is rounded for parameters in bf16; an empty gradients[p] where there is none.
  void Accumulate(const std::vector<std::vector<float>>& gradients);

  /// Reduces, clips, updates and gathers. Collective.
  StepResult Step();

  // Between the last micro-batch and Step, which does the rest. Collective.
  /// Reduces the gradients and returns their norm; ReadState shows them.
  float SyncGradients();
  /// The same, and this step clips them to max_norm, whatever the settings say.
  float ClipGradNorm(float max_norm);

  /// The whole parameter; bf16 is widened. Collective in stage 3.
  std::vector<float> ReadParameter(int parameter) const;
  /// All parameters whole, in stage 3 too, kept on the host until ReshardParameters. Collective.
  const std::vector<std::vector<float>>& GatherParameters();
  void ReshardParameters();

  /// The elements whose optimizer state this rank holds.
  std::vector<ElementRange> Owned(int parameter) const;
  /// A part of one owned range: "master", "momentum" (SGD), "exp_avg" or "exp_avg_sq" (the others), or, from
  /// SyncGradients or a step to the next micro-batch, "gradient" (reduced, before clipping).
  std::vector<float> ReadState(const std::string& state, int parameter, ElementRange range) const;

  // From the next step on; the same on every rank.
  void SetGroup(int group, const HyperParameters& values);
  void SetFrozen(int parameter, bool frozen);

  /// One more group, of parameters that begin with the next step; their own `group` is not read. Between two steps; for
  /// the time of the call the states are in memory twice. Collective.
  void AddGroup(const HyperParameters& values, const std::vector<Parameter>& parameters,
                const std::vector<std::vector<float>>& initial);

  /// Between two steps. Collective.
  Checkpoint Save() const;
  /// Restores the checkpoint in an engine that has made no step, for the same parameters and optimizer. Collective.
  void Resume(const Checkpoint& checkpoint);

  MemoryBytes Memory() const;
  /// What an engine with these settings will hold, without one. The transport's own memory comes on top.
  static MemoryBytes MemoryEstimate(const EngineSettings& settings, int rank, int world_size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zerocts::library
