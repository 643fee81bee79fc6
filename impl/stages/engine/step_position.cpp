#include "impl/stages/engine/step_position.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts::engine {

void StepPosition::TakeMicroBatch(int64_t step, int64_t micro_batch) {
  if (micro_batch_ == micro_batches_) {
    throw std::invalid_argument(
        fmt::format("step {} has all of its {} micro-batches: expected step, got micro-batch {} of step {}", step_,
                    micro_batches_, micro_batch, step));
  }
  if (step != step_ || micro_batch != micro_batch_) {
    throw std::invalid_argument(
        fmt::format("micro-batches come in order: expected micro-batch {} of step {}, got micro-batch {} of step {}",
                    micro_batch_, step_, micro_batch, step));
  }
  ++micro_batch_;
}

void StepPosition::RequireStep(int64_t step) const {
  if (step != step_ || micro_batch_ != micro_batches_) {
    throw std::invalid_argument(fmt::format("expected step {} after {} micro-batches, got step {} after {}", step_,
                                            micro_batches_, step, micro_batch_));
  }
}

void StepPosition::TakeStep(int64_t step) {
  RequireStep(step);
  ++step_;
  micro_batch_ = 0;
}

void StepPosition::RequireBetweenSteps() const {
  if (micro_batch_ == 0) return;
  throw std::invalid_argument(
      fmt::format("step {} has {} of its {} micro-batches: expected this call between two steps", step_, micro_batch_,
                  micro_batches_));
}

void StepPosition::Resume(int64_t steps) {
  if (step_ != 0 || micro_batch_ != 0) {
    throw std::invalid_argument(
        fmt::format("this engine stands at micro-batch {} of step {}: expected a fresh one", micro_batch_, step_));
  }
  step_ = first_ = steps;
}

}  // namespace zerocts::engine
