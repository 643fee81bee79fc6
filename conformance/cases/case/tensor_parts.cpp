#include "conformance/cases/case/tensor_parts.hpp"

namespace zerocts {
namespace {

/// The cut of each parameter; those that belong to no model are replicated.
std::vector<TensorCut> CutsOf(const Experiment& e) {
  return e.model ? ModelTensorCuts(*e.model) : std::vector<TensorCut>(e.parameters.size());
}

/// The parts that stand side by side along the dimension that is cut, each of them cut by itself.
std::vector<IndexRange> SideBySide(const ParameterSpec& parameter, const TensorCut& cut) {
  return cut.parts.Of(parameter.shape[static_cast<size_t>(cut.dimension)]);
}

/// A rank's elements of each of them.
std::vector<IndexRange> OwnOf(const ParameterSpec& parameter, const TensorCut& cut, int rank, const Case& c) {
  std::vector<IndexRange> all;
  for (const IndexRange& part : SideBySide(parameter, cut)) {
    const IndexRange own = PartOfElements(part.numel(), rank, c.tensor, c.tensor_parts);
    if (own.numel() > 0) all.push_back({part.begin + own.begin, part.begin + own.end});
  }
  return all;
}

std::vector<Interval> PartOf(const ParameterSpec& parameter, const TensorCut& cut, int rank, const Case& c) {
  std::vector<Interval> part;
  if (parameter.numel() == 0) return part;
  if (cut.replicated()) return {{0, parameter.numel()}};
  const std::vector<IndexRange> all = OwnOf(parameter, cut, rank, c);
  int64_t row = 1;  // elements behind one of the cut dimension
  for (size_t d = static_cast<size_t>(cut.dimension) + 1; d < parameter.shape.size(); ++d) row *= parameter.shape[d];
  const int64_t block_numel = parameter.shape[static_cast<size_t>(cut.dimension)] * row;
  for (int64_t block = 0; block < parameter.numel(); block += block_numel) {
    for (const IndexRange& own : all) AppendJoined({block + own.begin * row, block + own.end * row}, part);
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
    const std::vector<IndexRange> all = OwnOf(parameters[p], cuts[p], tensor_rank, c);
    int64_t& numel = parameters[p].shape[static_cast<size_t>(cuts[p].dimension)] = 0;
    for (const IndexRange& own : all) numel += own.numel();
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
    if (cuts[p].replicated()) continue;
    for (const IndexRange& part : SideBySide(c.experiment.parameters[p], cuts[p])) {
      if (part.numel() % c.tensor != 0) return true;
    }
  }
  return false;
}

}  // namespace zerocts
