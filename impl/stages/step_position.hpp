// Where an engine stands: steps 0, 1, .., each of K micro-batches 0..K-1 and then the step itself.
#pragma once
#include <cstdint>

namespace zerocts {

class StepPosition {
 public:
  explicit StepPosition(int micro_batches) : micro_batches_(micro_batches) {}

  /// Both throw std::invalid_argument with what was expected and what was got.
  void TakeMicroBatch(int64_t step, int64_t micro_batch);
  void TakeStep(int64_t step);

  /// A step was made and no micro-batch came since.
  bool right_after_a_step() const { return step_ > 0 && micro_batch_ == 0; }

 private:
  const int micro_batches_;
  int64_t step_ = 0;
  int micro_batch_ = 0;  // the next one
};

}  // namespace zerocts
