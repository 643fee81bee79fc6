// Stage 0, plain data parallelism: every rank holds everything, sees the whole mean gradient and makes every update
// itself.
#include "impl/stages/stage.hpp"

namespace zerocts {
namespace {

class Stage0 : public Stage {
 public:
  Shard StateShard(const Layout& layout, int) const override { return WholeModel(layout); }

  void ReduceGradients(GradientBuffer& gradients, const MeanRule& rule) const override {
    gradients.ReduceScatter(rule.order, rule.divisor);
    gradients.AllGather();  // together: an all-reduce in a defined order
  }

  void CompleteSquares(SumOfSquares&, Communicator&) const override {}

  void PublishParameters(ParameterBuffer&) const override {}
};

}  // namespace

std::unique_ptr<Stage> MakeStage0() { return std::make_unique<Stage0>(); }

}  // namespace zerocts
