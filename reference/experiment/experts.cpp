#include "reference/experiment/experts.hpp"

namespace zerocts {

int Experts::ExpertOf(int parameter) const {
  for (const ExpertParameter& entry : parameters) {
    if (entry.parameter == parameter) return entry.expert;
  }
  return kDense;
}

bool Experts::Has(int rank, int parameter) const {
  const int expert = ExpertOf(parameter);
  return expert == kDense || rank % count == expert;
}

}  // namespace zerocts
