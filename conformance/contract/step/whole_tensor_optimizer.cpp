#include "conformance/contract/judging.hpp"

namespace zerocts::whole_tensor_optimizer {

const Clause kClause{
    .id = "C-ZERO-055",
    .name = "non-elementwise optimizers",
    .sentence =
        "An optimizer that needs a whole tensor (LAMB) equals the reference or is refused; it never "
        "works on fragments.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Two-dimensional parameters that shards cut anywhere; the step length of every parameter shows in "
        "its update.",
    .bugs = {{"LAMB and LARS took the norms of arbitrary pieces for those of layers.",
              "https://github.com/deepspeedai/DeepSpeed/issues/490"},
             {"Muon worked on matrices that were only partly reduced.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7807"}},
    .essential = {{"lamb"}},
    .features = {"lamb", "boundary_inside"},
    .needs = {"Adafactor, Muon, Shampoo"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.max_steps = 4;
  space.vary = {"mesh", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::whole_tensor_optimizer
