#include "conformance/cases/tensor_parts.hpp"

namespace zerocts {
namespace {

/// Of each parameter; those that belong to no model are replicated.
std::vector<TensorCut> CutsOf(const Experiment& e) {
  return e.model ? ModelTensorCuts(*e.model) : std::vector<TensorCut>(e.parameters.size());
}

/// Of the dimension that is cut, in each of its parts that stand side by side.
int64_t CutNumel(const ParameterSpec& parameter, const TensorCut& cut) {
  return parameter.shape[static_cast<size_t>(cut.dimension)] / cut.parts;
}

std::vector<Interval> PartOf(const ParameterSpec& parameter, const TensorCut& cut, int rank, const Case& c) {
  std::vector<Interval> part;
  if (parameter.numel() == 0) return part;
  if (cut.replicated()) return {{0, parameter.numel()}};
  const int64_t m = CutNumel(parameter, cut);
  const Stretch own = PartOfElements(m, rank, c.tensor, c.tensor_parts);
  int64_t row = 1;  // elements behind one of the cut dimension
  for (size_t d = static_cast<size_t>(cut.dimension) + 1; d < parameter.shape.size(); ++d) row *= parameter.shape[d];
  for (int64_t block = 0; block < parameter.numel() && own.numel() > 0; block += m * row) {
    AppendJoined({block + own.begin * row, block + own.end * row}, part);
  }
  return part;
}

}  // namespace

std::vector<std::vector<Interval>> PartsOfTensorRank(const Case& c, int tensor_rank) {
  const std::vector<TensorCut> cuts = CutsOf(c.experiment);
  std::vector<std::vector<Interval>> parts;
  for (size_t p = 0; p < cuts.size(); ++p) {
    parts.push_back(PartOf(c.experiment.parameters[p], cuts[p], tensor_rank, c));
  }
  return parts;
}

std::vector<ParameterSpec> ParametersOfTensorRank(const Case& c, int tensor_rank) {
  const std::vector<TensorCut> cuts = CutsOf(c.experiment);
  std::vector<ParameterSpec> parameters = c.experiment.parameters;
  for (size_t p = 0; p < cuts.size(); ++p) {
    if (cuts[p].replicated()) continue;
    const Stretch own = PartOfElements(CutNumel(parameters[p], cuts[p]), tensor_rank, c.tensor, c.tensor_parts);
    parameters[p].shape[static_cast<size_t>(cuts[p].dimension)] = cuts[p].parts * own.numel();
  }
  return parameters;
}

std::vector<bool> AreReplicated(const Case& c) {
  std::vector<bool> replicated;
  for (const TensorCut& cut : CutsOf(c.experiment)) replicated.push_back(cut.replicated());
  return replicated;
}

bool CutsUnevenly(const Case& c) {
  const std::vector<TensorCut> cuts = CutsOf(c.experiment);
  for (size_t p = 0; p < cuts.size(); ++p) {
    if (!cuts[p].replicated() && CutNumel(c.experiment.parameters[p], cuts[p]) % c.tensor != 0) return true;
  }
  return false;
}

}  // namespace zerocts
