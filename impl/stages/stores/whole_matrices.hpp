// What Muon needs of a bucket: the directions of all its elements, gathered, so that a rank that owns a piece of a
// matrix has the whole. Ranks that share a matrix compute the same.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "impl/stages/stores/home_copies.hpp"
#include "impl/stages/stores/parameter_store.hpp"
#include "reference/optim/muon.hpp"

namespace zerocts::engine {

class WholeMatrices {
 public:
  /// Lives where `parameters` has its home. Collective.
  WholeMatrices(const RankContext& context, ParameterStore& parameters);

  const MatrixShape& shape(int parameter) const { return shapes_[static_cast<size_t>(parameter)]; }

  /// Where the direction of an owned piece is written, on home(), before Orthogonalize.
  float* Direction(const OwnedPiece& piece) const;
  /// Collective; waits for the norms, the rest is enqueued. eps(parameter): nothing if it is not updated.
  void Orthogonalize(int bucket, const std::function<std::optional<float>(int)>& eps);
  /// What became of it; until the next Orthogonalize.
  const float* Orthogonal(const OwnedPiece& piece) const;

 private:
  void Gather(int bucket);
  float NormOf(const float* matrix, int64_t numel);

  const Arrangement& arrangement_;
  const OptimizerFormula formula_;
  const HomeCopies copies_;
  ParameterStore& parameters_;
  Communicator& comm_;
  Device& device_;
  Streams& streams_;
  Timeline& timeline_;
  std::vector<MatrixShape> shapes_;          // of each parameter that has storage
  std::vector<std::vector<int>> of_bucket_;  // [buckets]: matrices of which this rank owns a piece
  Buffer own_, whole_;                       // of one bucket: [shard_numel], [flat_numel], at home
  Buffer own_on_device_, whole_on_device_;   // offload: the same, where collectives work
  Buffer work_, squares_;                    // of one matrix
};

}  // namespace zerocts::engine
