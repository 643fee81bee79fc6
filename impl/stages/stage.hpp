// What the stages of ZeRO disagree on: which optimizer state a rank holds, hence which part of the mean gradient it
// needs and which parameters it must get from others. One file per stage.
#pragma once
#include <memory>
#include <string>

#include "impl/comm/communicator.hpp"
#include "impl/stages/gradient_buffer.hpp"
#include "impl/stages/parameter_buffer.hpp"
#include "impl/stages/shard.hpp"
#include "reference/numerics/exact_sum.hpp"

namespace zerocts {

/// How gradients become their mean: the order of the sum over ranks, and the number of micro-batches of all ranks.
struct MeanRule {
  std::string order;  // "rank" or "ring"
  float divisor = 1;  // W * K; divided once, after the sum
};

class Stage {
 public:
  virtual ~Stage() = default;

  /// Whose optimizer state this rank holds.
  virtual Shard StateShard(const Layout& layout, int rank) const = 0;

  /// From every rank's sum over its micro-batches to the mean gradient, at least on the state shard. Collective.
  virtual void ReduceGradients(GradientBuffer& gradients, const MeanRule& rule) const = 0;

  /// From the squares of the state shard's mean gradient to those of the whole. Collective.
  virtual void CompleteSquares(SumOfSquares& squares, Communicator& comm) const = 0;

  /// The updated state shard stands in `parameters`; afterwards all parameters do, on every rank. Collective.
  virtual void PublishParameters(ParameterBuffer& parameters) const = 0;
};

std::unique_ptr<Stage> MakeStage0();
std::unique_ptr<Stage> MakeStage1();

}  // namespace zerocts
