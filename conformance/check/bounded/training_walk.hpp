// Real training as its definition says, over any kind of number N: forward, backward, mean, clipping, SGD. With
// RunningError it gives bounds.
#pragma once
#include <vector>

#include "conformance/check/bounded/clipping_walk.hpp"
#include "reference/experiment/data.hpp"
#include "reference/model/oracle_mlp.hpp"

namespace zerocts {

template <typename N>
struct WalkedStep {
  std::vector<N> losses;                 // one per g
  std::vector<std::vector<N>> gradient;  // mean over W * K, not clipped
  Clipping<N> clipping;
  std::vector<std::vector<N>> parameter;  // after the update
};

/// Backward is linear in the loss, so K and W may divide before it or anywhere behind it, each once.
template <typename N>
N MeanOf(const std::vector<N>& contributions, double K, double W) {
  std::vector<N> terms;
  for (const N& contribution : contributions) terms.push_back(contribution / N(K) / N(W));
  return Sum(terms);
}

template <typename N>
struct SgdElement {
  N parameter, momentum;
};

/// As torch and our own formulas have it; the buffer begins with the first gradient.
template <typename N>
void SgdUpdate(const HyperParameters& h, bool first, N gradient, SgdElement<N>& element) {
  const N d = gradient + N(h.weight_decay) * element.parameter;
  N along = d;
  if (h.momentum != 0.0f) {
    const N taken = (N(1.0) - N(h.dampening)) * d;
    element.momentum = first ? d : N(h.momentum) * element.momentum + taken;
    along = h.nesterov ? d + N(h.momentum) * element.momentum : element.momentum;
  }
  element.parameter = element.parameter - N(h.lr) * along;
}

/// The MLP of an experiment on micro-batch g of all ranks.
inline oracle::Chain ChainOf(const Experiment& e, const TextCorpus& text, int64_t step, int64_t g) {
  const Batch batch = MakeBatch(e, text, step, g);
  return oracle::MlpChain(std::get<MlpSpec>(*e.model), e.batch, batch.inputs, batch.targets, Precision::kFp32,
                          static_cast<size_t>(ExpertOfMicroBatch(e, g)));
}

/// Trains an MLP in one precision, without roles and loss scaling.
template <typename N>
class TrainingWalk {
 public:
  using Tensors = std::vector<std::vector<N>>;  // [parameters][numel]

  TrainingWalk(const Experiment& experiment, const TextCorpus& text) : e_(experiment), text_(text) {
    for (int p = 0; p < static_cast<int>(e_.parameters.size()); ++p) {
      elements_.emplace_back();
      for (const float value : InitialValuesOf(e_, p)) elements_.back().push_back({N(value), N(0.0)});
    }
  }

  WalkedStep<N> Step(int64_t step) {
    WalkedStep<N> made;
    std::vector<Tensors> contributions;  // [W * K]
    const Tensors parameters = Parameters();
    for (int64_t g = 0; g < int64_t{e_.world_size} * e_.micro_batches; ++g) {
      made.losses.push_back(ForwardBackward(step, g, parameters, contributions.emplace_back()));
    }
    made.gradient = MeanOver(contributions);
    made.clipping = ClippingOf(e_, made.gradient);
    const std::vector<HyperParameters> groups = GroupsAtStep(e_, step);
    for (size_t p = 0; p < elements_.size(); ++p) {
      const HyperParameters& group = groups[static_cast<size_t>(e_.parameters[p].group)];
      for (size_t i = 0; i < elements_[p].size(); ++i) {
        SgdUpdate(group, step == 0, made.clipping.Of(made.gradient[p][i]), elements_[p][i]);
      }
    }
    made.parameter = Parameters();
    return made;
  }

 private:
  /// The mean loss of the batch. What it does not go through has gradient 0, so all gradients have the same terms.
  N ForwardBackward(int64_t step, int64_t g, const Tensors& parameters, Tensors& gradient) const {
    const oracle::Chain chain = ChainOf(e_, text_, step, g);
    gradient.resize(parameters.size());
    chain.Backward(parameters, {}, {}, gradient);
    return Sum(chain.Forward(parameters, {})) / N(static_cast<double>(e_.batch));
  }

  Tensors Parameters() const {
    Tensors parameters;
    for (const auto& elements : elements_) {
      parameters.emplace_back();
      for (const SgdElement<N>& element : elements) parameters.back().push_back(element.parameter);
    }
    return parameters;
  }

  Tensors MeanOver(const std::vector<Tensors>& contributions) const {
    Tensors mean(elements_.size());
    std::vector<N> terms(contributions.size());
    for (size_t p = 0; p < elements_.size(); ++p) {
      const auto ranks = static_cast<double>(MicroBatchesOfMean(e_, static_cast<int>(p)) / e_.micro_batches);
      for (size_t i = 0; i < elements_[p].size(); ++i) {
        for (size_t g = 0; g < terms.size(); ++g) terms[g] = contributions[g][p][i];
        mean[p].push_back(MeanOf(terms, e_.micro_batches, ranks));
      }
    }
    return mean;
  }

  const Experiment& e_;
  const TextCorpus& text_;
  std::vector<std::vector<SgdElement<N>>> elements_;  // [parameters][numel]
};

}  // namespace zerocts
