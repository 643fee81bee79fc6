// Where an engine stands: steps 0, 1, .., each of K micro-batches 0..K-1 and then the step itself.
#pragma once
#include <cstdint>

namespace zerocts::engine {

class StepPosition {
 public:
  explicit StepPosition(int micro_batches) : micro_batches_(micro_batches) {}

  // They throw std::invalid_argument with what was expected and what was got.
  void TakeMicroBatch(int64_t step, int64_t micro_batch);
  void TakeStep(int64_t step);
  void RequireStep(int64_t step) const;  // that TakeStep would take it

  /// Steps that were made, by others before Resume included.
  int64_t steps() const { return step_; }
  /// Throws std::invalid_argument inside a step.
  void RequireBetweenSteps() const;
  /// Goes on after so many steps. Throws std::invalid_argument when a step or a micro-batch was already taken here.
  void Resume(int64_t steps);

  /// A step was made here and no micro-batch came since.
  bool right_after_a_step() const { return step_ > first_ && micro_batch_ == 0; }

 private:
  const int micro_batches_;
  int64_t step_ = 0, first_ = 0;  // the next one, the first one here
  int micro_batch_ = 0;           // the next one
};

}  // namespace zerocts::engine
