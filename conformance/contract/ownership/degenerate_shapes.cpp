// C-ZERO-004: empty, tiny and dimensionless parameters, empty groups and ranks that own nothing train like any other.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kDegenerate};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_steps = 2;
  space.clip = true;
  return space;
}

const RegisteredClause clause("C-ZERO-004", "DegenerateShapesTrainLikeAnyOther", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
