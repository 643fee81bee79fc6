// The single-process trainer: ground truth. It knows ranks only as g = rank * K + k, and no shard.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/numerics/reduction_order.hpp"
#include "reference/ops/ops.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {

/// Everything that one step made, in program order. Index p is the parameter. What a parameter does not have is empty:
/// the gradient of one that is not updated in this step, the state of a buffer, all but `parameter` of a tied name.
struct StepTrace {
  int64_t step = 0;
  float loss_scale = 1.0f;     // by which this step's gradients were multiplied and divided again
  bool skipped = false;        // a gradient was not finite under loss scaling: nothing below `gradient` has changed
  std::vector<double> losses;  // kModel: one per g
  std::vector<std::vector<float>> gradient;                  // mean over W * K, before clipping
  float grad_norm = 0, clip_coefficient = 1;                 // norm is always computed
  std::vector<std::vector<float>> master, moment1, moment2;  // after the update; moment2 empty for SGD
  std::vector<std::vector<float>> parameter;                 // what compute sees: master, or master rounded to bf16
  double mean_loss() const;                                  // NaN when there are none
};

/// Whether a step's trace holds copies of all tensors, or none of them.
enum class Keep { kTensors, kScalars };

class Trainer {
 public:
  /// `order`: in which order gradients are added. Throws std::invalid_argument with Problem(experiment).
  Trainer(const Experiment& experiment, ReductionOrder order, Ops& ops);
  ~Trainer();

  /// The compute parameters now, [parameters]; before the first step the initial ones.
  const std::vector<std::vector<float>>& parameters() const;
  const std::vector<std::vector<float>>& masters() const;

  /// From the next step on.
  void AddInOrder(ReductionOrder order);
  /// As above, on so many ranks and with their data: what another number of ranks loads from a checkpoint.
  void GoOnWith(int world_size, ReductionOrder order);

  StepTrace Step(Keep keep = Keep::kTensors);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The order for a named rule when no shard matters (rank, tree): one range over all elements.
ReductionOrder UniformOrder(const Experiment& experiment, const Fold& fold,
                            GradientSync sync = GradientSync::kLastMicroBatch);

/// All steps at once.
std::vector<StepTrace> Train(const Experiment& experiment, const ReductionOrder& order, Ops& ops);

}  // namespace zerocts
