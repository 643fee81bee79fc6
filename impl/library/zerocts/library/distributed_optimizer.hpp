// ZeRO-1 over two buffers: each rank updates its shard in fp32 and gives it to the others.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <zerocts/library/buffer.hpp>

namespace zerocts::library {

struct OptimizerSettings {
  OptimizerKind optimizer = OptimizerKind::kAdamW;  // elementwise ones: not kLamb, kMuon
  std::vector<HyperParameters> groups = {HyperParameters{}};
  std::vector<int> group_of_tensor;                        // empty: all are in group 0
  GradientReduction gradients = GradientReduction::kMean;  // over the ranks; micro-batches are added, not divided
};

class ZEROCTS_EXPORTED DistributedOptimizer {
 public:
  /// The buffers are of the same ranks, tensors and alignment, each in a precision of its own; they outlive the
  /// optimizer. Masters begin as what `parameters` holds, equal on all ranks.
  DistributedOptimizer(Buffer& parameters, Buffer& gradients, const OptimizerSettings& settings);
  ~DistributedOptimizer();
  DistributedOptimizer(DistributedOptimizer&&) noexcept;
  DistributedOptimizer& operator=(DistributedOptimizer&&) noexcept;

  /// Reduce-scatters the gradients, updates masters and moments of the own shard, writes the masters back, rounded to
  /// the precision of the parameters, and all-gathers. Gradients are zero afterwards. Collective.
  void Step();

  /// From the next step on; the same on every rank.
  void SetGroup(int group, const HyperParameters& values);

  /// Returns a state of the own shard, padding included: "master", "momentum" (SGD), "exp_avg" or "exp_avg_sq".
  std::vector<float> ReadState(const std::string& state) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zerocts::library
