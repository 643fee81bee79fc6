#include "reference/experiment/hyper_parameter_problem.hpp"

#include <cmath>

#include "reference/experiment/problem_sentences.hpp"

namespace zerocts {

std::string HyperParameterProblem(const std::string& field, const HyperParameters& h) {
  return First(FiniteNotNegative(field + ".lr", h.lr), FiniteNotNegative(field + ".weight_decay", h.weight_decay),
               BelowOne(field + ".momentum", h.momentum), BelowOne(field + ".beta1", h.beta1),
               BelowOne(field + ".beta2", h.beta2), BelowOne(field + ".dampening", h.dampening),
               !h.nesterov || (h.momentum > 0 && h.dampening == 0)
                   ? ""
                   : field + ".nesterov: expected false, or a momentum above 0 without dampening, got true",
               std::isfinite(h.eps) && h.eps > 0 ? "" : Sentence(field + ".eps", "a finite number above 0", h.eps));
}

}  // namespace zerocts
