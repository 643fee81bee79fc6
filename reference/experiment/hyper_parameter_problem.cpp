#include "reference/experiment/hyper_parameter_problem.hpp"

#include <cmath>

#include "reference/experiment/problem_sentences.hpp"

namespace zerocts {

std::string HyperParameterProblem(const std::string& field, const HyperParameters& h) {
  const auto named = [&](const char* name) { return FieldName(field, name); };
  return First(FiniteNotNegative(named(".lr"), h.lr), FiniteNotNegative(named(".weight_decay"), h.weight_decay),
               BelowOne(named(".momentum"), h.momentum), BelowOne(named(".beta1"), h.beta1),
               BelowOne(named(".beta2"), h.beta2), BelowOne(named(".dampening"), h.dampening),
               !h.nesterov || (h.momentum > 0 && h.dampening == 0)
                   ? ""
                   : field + ".nesterov: expected false, or a momentum above 0 without dampening, got true",
               AboveZero(named(".eps"), h.eps));
}

}  // namespace zerocts
