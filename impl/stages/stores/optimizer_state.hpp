// The optimizer's memory of what this rank owns, in fp32: master weights and moments. From stage 1 on this is 1 / W of
// the whole; that is ZeRO.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "impl/comm/buffer.hpp"
#include "impl/stages/arrangement/arrangement.hpp"
#include "impl/stages/stores/home_copies.hpp"
#include "impl/stages/stores/parameter_store.hpp"
#include "impl/stages/stores/whole_matrices.hpp"
#include "reference/optim/step.hpp"

namespace zerocts::engine {

/// What a step does with one parameter.
struct ParameterStep {
  bool updated = false;
  HyperParameters group;
  BetaProducts products;  // already advanced for this step
};

class OptimizerState {
 public:
  /// Lives where `parameters` has its home. Masters of fp32 parameters are the parameters themselves.
  OptimizerState(const RankContext& context, ParameterStore& parameters);

  /// Master weights and owned compute parameters from initial[p] (fp32 of the host, [numel], until return); moments are
  /// zero.
  void Load(const std::vector<const float*>& initial);

  /// For whole tensors (LAMB): moments, and the sums over this rank's pieces that decide how far each parameter moves.
  /// To be merged over the ranks of the sharding group, then given to Update.
  std::vector<WholeTensorSums> Prepare(const std::vector<ParameterStep>& steps, float clip,
                                       const std::function<const float*(const OwnedPiece&)>& mean);

  /// One step of the owned pieces of a bucket; enqueued; Muon is collective and waits. `sums` [parameters] is empty
  /// unless Prepare was called.
  void Update(int bucket, const std::vector<ParameterStep>& steps, float clip,
              const std::function<const float*(const OwnedPiece&)>& mean, const std::vector<WholeTensorSums>& sums);

  /// A checkpoint: elements [begin, end) of a state of one owned piece, from fp32 of the host; and, when the masters of
  /// a bucket are there, its compute parameters; enqueued.
  void Write(const std::string& state, const OwnedPiece& piece, int64_t begin, int64_t end, const float* host);
  void RoundMasters(int bucket);

  /// "master" or one of MomentNames, of one owned piece; nullptr for a name that this optimizer does not have.
  const float* Find(const std::string& state, const OwnedPiece& piece) const;

 private:
  void UpdateMatrices(int bucket, const std::vector<ParameterStep>& steps, float clip,
                      const std::function<const float*(const OwnedPiece&)>& mean);
  StatePointers StateOf(const OwnedPiece& piece) const;
  float* At(const std::string& state, const OwnedPiece& piece) const;
  void RoundToCompute(const OwnedPiece& piece);

  const Arrangement& arrangement_;
  const Optimizer optimizer_;
  const HomeCopies copies_;
  ParameterStore& parameters_;
  std::vector<std::vector<OwnedPiece>> pieces_of_bucket_;
  std::vector<int64_t> master_begin_;  // [buckets]: in masters_, of those in bf16
  Buffer masters_;
  std::vector<Buffer> moments_;            // in the order of MomentNames, [state_numel]
  Buffer sums_;                            // LAMB: [parameters] WholeTensorSums, where the moments are
  std::optional<WholeMatrices> matrices_;  // Muon
};

}  // namespace zerocts::engine
