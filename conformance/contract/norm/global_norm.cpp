// C-ZERO-030: one norm on all ranks, that of the whole mean gradient, and it is the one that clips.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

/// 3-4-5 gradients over 80 binary orders of magnitude: squares overflow and vanish in half precision, never in fp32.
void SpreadScales(Case& c) {
  constexpr int kExponents[] = {0, 20, -20, 40, -40};
  if (c.experiment.gradients != GradientSource::kPythagorean) return;
  ScaleGradients(c.experiment, kExponents[c.experiment.seed % std::size(kExponents)]);
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kPythagorean, GradientSource::kUniform, GradientSource::kIndexCoded};
  space.initial = InitialValues::kUniform;
  space.clip = true;
  space.finish = SpreadScales;
  space.keep = [](const Case& c) {
    return c.experiment.max_norm > 0;
  };  // without clipping a subject need not compute the norm
  return space;
}

const RegisteredClause clause("C-ZERO-030", "TheNormIsThatOfTheWholeMeanGradientOnEveryRank", Space,
                              JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
