// Tells the conductor of the steps of a case that reports them.
#pragma once
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

class StepReporter {
 public:
  virtual ~StepReporter() = default;
  /// Waits for the answer: does the case go on? `run` and `request` are filled in.
  virtual bool GoesOnAfter(SteppedMessage step) = 0;
};

}  // namespace zerocts
