// What one rank is fed in a case, in the order in which it is fed.
#pragma once
#include <cstdint>
#include <span>

#include "conformance/cases/case/case.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {

struct MicroBatchPosition {
  int64_t step = 0;
  int micro_batch = 0;  // of this rank
};

/// Its number among those of all ranks, by which data are drawn and losses stand in a trace. Tensor ranks share theirs.
inline int64_t GlobalMicroBatch(const Case& c, int rank, int64_t micro_batch) {
  return int64_t{c.data_rank_of(rank)} * c.experiment.micro_batches + micro_batch;
}

/// An engine that is to load is opened with this in place of an initial value, so that what does not come back shows.
inline float BeforeLoad(float initial) { return 1.0f - initial / 2; }

class InputVisitor {
 public:
  virtual ~InputVisitor() = default;
  virtual void Initial(std::span<const float> values) = 0;  // of each parameter
  // Then per step and micro-batch: of each parameter one of these two, or the batch.
  virtual void Gradient(const MicroBatchPosition& position, int parameter, std::span<const float> values) = 0;
  virtual void NoGradient(const MicroBatchPosition& position, int parameter) = 0;
  virtual void Batches(const MicroBatchPosition& position, const Batch& batch) = 0;
};

/// From the case alone. Spans live until the call returns.
void VisitInputs(const Case& c, int rank, InputVisitor& visitor);

}  // namespace zerocts
