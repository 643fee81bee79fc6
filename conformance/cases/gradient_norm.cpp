#include "conformance/cases/gradient_norm.hpp"

#include "reference/experiment/data.hpp"
#include "reference/model/model.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {
namespace {

using Tensors = std::vector<std::vector<float>>;  // [parameters][numel]

Tensors ZerosLikeParameters(const Experiment& e) {
  Tensors tensors;
  for (const ParameterSpec& parameter : e.parameters) tensors.emplace_back(static_cast<size_t>(parameter.numel()));
  return tensors;
}

float NormOfMean(const Experiment& e, const std::vector<Tensors>& leaves) {
  Ops& ops = HostOps();
  const Fold fold = RankFold(e.world_size, e.micro_batches);
  SumOfSquares squares;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    std::vector<float> mean(leaves[0][p].size());
    std::vector<const float*> pointers;
    for (const Tensors& leaf : leaves) pointers.push_back(leaf[p].data());
    ops.FoldLeaves(mean.data(), fold, pointers, static_cast<float>(leaves.size()), static_cast<int64_t>(mean.size()));
    ops.AddSquares(&squares, mean.data(), static_cast<int64_t>(mean.size()));
  }
  return squares.Norm();
}

std::vector<Tensors> GivenGradients(const Experiment& e, int64_t step) {
  std::vector<Tensors> leaves(static_cast<size_t>(e.world_size) * e.micro_batches, ZerosLikeParameters(e));
  for (size_t g = 0; g < leaves.size(); ++g) {
    for (size_t p = 0; p < e.parameters.size(); ++p) {
      FillGradient(e, step, static_cast<int64_t>(g), static_cast<int>(p), leaves[g][p].data());
    }
  }
  return leaves;
}

std::vector<Tensors> FirstModelGradients(const Experiment& e) {
  Tensors parameters;
  std::vector<const float*> parameter_pointers;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    parameters.push_back(InitialValuesOf(e, static_cast<int>(p)));
    if (e.precision == Precision::kBf16) {
      HostOps().RoundToBf16(parameters[p].data(), static_cast<int64_t>(parameters[p].size()));
    }
    parameter_pointers.push_back(parameters[p].data());
  }
  const TextCorpus text = TextCorpus::LoadFor(e);
  Model model(*e.model, e.precision, HostOps());
  std::vector<Tensors> leaves(static_cast<size_t>(e.world_size) * e.micro_batches, ZerosLikeParameters(e));
  for (size_t g = 0; g < leaves.size(); ++g) {
    std::vector<float*> gradient_pointers;
    for (std::vector<float>& gradient : leaves[g]) gradient_pointers.push_back(gradient.data());
    const Batch batch = MakeBatch(e, text, 0, static_cast<int64_t>(g));
    model.ForwardBackward(parameter_pointers, gradient_pointers, batch.inputs.data(), batch.targets.data(), e.batch);
  }
  return leaves;
}

}  // namespace

std::vector<float> KnownGradientNorms(const Experiment& experiment) {
  if (experiment.gradients == GradientSource::kModel) return {NormOfMean(experiment, FirstModelGradients(experiment))};
  std::vector<float> norms;
  for (int64_t step = 0; step < experiment.steps; ++step) {
    norms.push_back(NormOfMean(experiment, GivenGradients(experiment, step)));
  }
  return norms;
}

}  // namespace zerocts
