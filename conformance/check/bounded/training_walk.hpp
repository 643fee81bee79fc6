// Real training as its definition says, over any kind of number N: forward, backward, mean, clipping, update. With
// RunningError it gives bounds.
#pragma once
#include <vector>

#include "conformance/check/bounded/clipping_walk.hpp"
#include "conformance/check/bounded/optimizer_walk.hpp"
#include "reference/experiment/data.hpp"
#include "reference/model/oracle_models.hpp"

namespace zerocts {

template <typename N>
struct WalkedStep {
  std::vector<N> losses;                 // one per g
  std::vector<std::vector<N>> gradient;  // mean over W * K, not clipped
  Clipping<N> clipping;
  std::vector<std::vector<N>> parameter;  // after the update, in fp32
};

/// Backward is linear in the loss, so K and W may divide before it or anywhere behind it, each once.
template <typename N>
N MeanOf(Precision precision, const std::vector<N>& contributions, double K, double W) {
  std::vector<N> terms;
  for (const N& contribution : contributions) terms.push_back(contribution / N(K) / N(W));
  oracle::RoundOperand(precision, terms);
  return oracle::SumIn(precision, terms);
}

/// The model of an experiment on micro-batch g of all ranks. In bf16 what each unit gives is rounded.
inline oracle::Chain ChainOf(const Experiment& e, const TextCorpus& text, int64_t step, int64_t g) {
  const Batch batch = MakeBatch(e, text, step, g);
  return oracle::ModelChain(*e.model, {e.batch, batch.inputs, batch.targets}, {.stored = e.precision},
                            static_cast<size_t>(ExpertOfMicroBatch(e, g)));
}

/// What a micro-batch says of its losses.
template <typename N>
N MeanLoss(const Experiment& e, const std::vector<N>& losses) {
  return oracle::RoundedTo(e.precision, Sum(losses) / N(static_cast<double>(losses.size())));
}

/// Trains an MLP without roles and loss scaling. In bf16 masters and moments are fp32, what a gradient goes through may
/// be either.
template <typename N>
class TrainingWalk {
 public:
  using Tensors = std::vector<std::vector<N>>;  // [parameters][numel]

  TrainingWalk(const Experiment& experiment, const TextCorpus& text) : e_(experiment), text_(text) {
    for (int p = 0; p < static_cast<int>(e_.parameters.size()); ++p) {
      elements_.emplace_back();
      for (const float value : InitialValuesOf(e_, p)) elements_.back().push_back({N(value)});
    }
  }

  WalkedStep<N> Step(int64_t step) {
    WalkedStep<N> made;
    std::vector<Tensors> contributions;  // [W * K]
    const Tensors parameters = Parameters(e_.precision);
    for (int64_t g = 0; g < MicroBatches(); ++g) {
      const oracle::Chain chain = ChainOf(e_, text_, step, g);
      made.losses.push_back(MeanLoss(e_, chain.Forward(parameters, {})));
      chain.Backward(parameters, {}, {}, contributions.emplace_back(parameters.size()));
    }
    made.gradient = MeanOver(contributions);
    made.clipping = ClippingOf(e_, made.gradient);
    const std::vector<HyperParameters> groups = GroupsAtStep(e_, step);
    for (size_t p = 0; p < elements_.size(); ++p) {
      const HyperParameters& group = groups[static_cast<size_t>(e_.parameters[p].group)];
      const AdamConstants adam(group, step + 1);
      for (size_t i = 0; i < elements_[p].size(); ++i) {
        Update(group, adam, step, made.clipping.Of(made.gradient[p][i]), elements_[p][i]);
      }
    }
    made.parameter = Parameters(Precision::kFp32);
    return made;
  }

  int64_t MicroBatches() const { return int64_t{e_.world_size} * e_.micro_batches; }

  Tensors Parameters(Precision precision) const {
    Tensors parameters;
    for (const auto& elements : elements_) {
      parameters.emplace_back();
      for (const WalkedElement<N>& element : elements) {
        parameters.back().push_back(precision == Precision::kBf16 ? StoredInBf16(element.parameter)
                                                                  : element.parameter);
      }
    }
    return parameters;
  }

 private:
  void Update(const HyperParameters& group, const AdamConstants& adam, int64_t step, const N& gradient,
              WalkedElement<N>& element) const {
    if (e_.optimizer == OptimizerKind::kSgd) return SgdUpdate(group, step == 0, gradient, element);
    AdamUpdate(e_.optimizer, group, adam, gradient, element);
  }

  Tensors MeanOver(const std::vector<Tensors>& contributions) const {
    Tensors mean(elements_.size());
    std::vector<N> terms(contributions.size());
    for (size_t p = 0; p < elements_.size(); ++p) {
      const auto ranks = static_cast<double>(MicroBatchesOfMean(e_, static_cast<int>(p)) / e_.micro_batches);
      for (size_t i = 0; i < elements_[p].size(); ++i) {
        for (size_t g = 0; g < terms.size(); ++g) terms[g] = contributions[g][p][i];
        mean[p].push_back(MeanOf(e_.precision, terms, e_.micro_batches, ranks));
      }
    }
    return mean;
  }

  const Experiment& e_;
  const TextCorpus& text_;
  std::vector<std::vector<WalkedElement<N>>> elements_;  // [parameters][numel]
};

}  // namespace zerocts
