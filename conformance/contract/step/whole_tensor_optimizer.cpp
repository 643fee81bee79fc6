#include "conformance/contract/judging.hpp"

namespace zerocts::whole_tensor_optimizer {

const Clause kClause{
    .id = "C-ZERO-055",
    .name = "non-elementwise optimizers",
    .sentence =
        "An optimizer that needs a whole tensor (LAMB, Muon) equals the reference or is refused; it never "
        "works on fragments.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Two-dimensional parameters that shards cut anywhere, tall, wide and with fewer rows than ranks. The step "
        "length of LAMB shows in every element, and for Muon each element of a matrix in every other: momentum, "
        "weights and norms have the bits of the reference, on any number of ranks.",
    .bugs = {{"LAMB and LARS took the norms of arbitrary pieces for those of layers.",
              "https://github.com/deepspeedai/DeepSpeed/issues/490"},
             {"Muon worked on matrices that were only partly reduced.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7807"},
             {"Muon was applied to the gradient of each micro-batch by itself.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8443"}},
    .essential = {{"lamb", "muon"}},
    .features = {"lamb", "muon", "boundary_inside"},
    .needs = {"Adafactor, Shampoo"},
    .revision = 3,
};

/// One row alone shows little of a matrix.
bool HasMatrixToCut(const Case& c) {
  return std::ranges::any_of(c.experiment.parameters, [&](const ParameterSpec& parameter) {
    const std::vector<int64_t>& shape = parameter.shape;
    return shape.size() == 2 && std::ranges::min(shape) > 1 && parameter.numel() > c.world_size();
  });
}

/// Shards that may cut a tensor.
bool HasFragments(const Case& c) {
  const bool shards = c.world_size() == 1 || c.shards() > 1;
  return shards && (c.experiment.optimizer != OptimizerKind::kMuon || HasMatrixToCut(c));
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kLamb, OptimizerKind::kMuon};
  space.stages = {1, 2, 3};
  space.initial = InitialValues::kUniform;
  space.max_steps = 4;
  space.vary = {"mesh", "loss", "buckets", "clipping"};
  space.keep = HasFragments;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::whole_tensor_optimizer
