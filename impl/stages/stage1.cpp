// Stage 1: each rank holds the optimizer state of its shard only. It gets the mean gradient of that shard, updates it,
// and gives the new parameters to all. The traffic is that of stage 0: a reduce-scatter and an all-gather.
#include "impl/stages/stage.hpp"

namespace zerocts {
namespace {

class Stage1 : public Stage {
 public:
  Shard StateShard(const Layout& layout, int rank) const override { return ShardOf(layout, rank); }

  void ReduceGradients(GradientBuffer& gradients, const MeanRule& rule) const override {
    gradients.ReduceScatter(rule.order, rule.divisor);
  }

  void CompleteSquares(SumOfSquares& squares, Communicator& comm) const override {
    // plain integers, made to be added word by word
    comm.AllReduceSum(reinterpret_cast<uint64_t*>(squares.bins.data()), sizeof squares.bins / sizeof(uint64_t),
                      "gradient norm");
  }

  void PublishParameters(ParameterBuffer& parameters) const override { parameters.AllGather(); }
};

}  // namespace

std::unique_ptr<Stage> MakeStage1() { return std::make_unique<Stage1>(); }

}  // namespace zerocts
