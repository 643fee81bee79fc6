#include "impl/stages/engine/step_position.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts::engine {
namespace {

TEST(StepPosition, TakesAllMicroBatchesInOrderThenTheStep) {
  StepPosition position(2);
  EXPECT_FALSE(position.right_after_a_step());
  EXPECT_THROW(position.TakeMicroBatch(0, 1), std::invalid_argument);
  position.TakeMicroBatch(0, 0);
  EXPECT_THROW(position.TakeMicroBatch(0, 0), std::invalid_argument);
  EXPECT_THROW(position.TakeStep(0), std::invalid_argument);
  position.TakeMicroBatch(0, 1);
  EXPECT_THROW(position.TakeMicroBatch(0, 2), std::invalid_argument);
  EXPECT_THROW(position.TakeStep(1), std::invalid_argument);
  EXPECT_THROW(position.RequireStep(1), std::invalid_argument);
  position.RequireStep(0);  // takes nothing
  position.TakeStep(0);
  EXPECT_TRUE(position.right_after_a_step());
  EXPECT_THROW(position.TakeStep(0), std::invalid_argument);
  position.TakeMicroBatch(1, 0);
  EXPECT_FALSE(position.right_after_a_step());
}

}  // namespace
}  // namespace zerocts::engine
