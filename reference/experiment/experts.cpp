#include "reference/experiment/experts.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<ExpertDivisor> kDivisorNames[] = {{ExpertDivisor::kWorld, "world"},
                                                     {ExpertDivisor::kGroup, "group"}};

}  // namespace

std::string ToString(ExpertDivisor divisor) { return NameOf(kDivisorNames, divisor); }
ExpertDivisor ExpertDivisorFromString(const std::string& name) {
  return FromName(kDivisorNames, "expert divisor", name);
}

int Experts::ExpertOf(int parameter) const {
  for (const ExpertParameter& entry : parameters) {
    if (entry.parameter == parameter) return entry.expert;
  }
  return kDense;
}

bool Experts::Has(int rank, int parameter) const {
  const int expert = ExpertOf(parameter);
  return expert == kDense || OfRank(rank) == expert;
}

Experts ExpertsOf(const ModelSpec& model) {
  Experts experts{ExpertCountOf(model), {}};
  const std::vector<int> of_parameters = ModelExperts(model);
  for (int p = 0; p < static_cast<int>(of_parameters.size()); ++p) {
    if (of_parameters[p] != Experts::kDense) experts.parameters.push_back({p, of_parameters[p]});
  }
  return experts;
}

}  // namespace zerocts
