#include "conformance/cases/whole/features.hpp"
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
    .features = {"lamb", "boundary_inside"},
    .needs = {"Adafactor, Shampoo"},
    .revision = 3,
};

/// Muon is asked where shards may cut: a matrix of one row, or of fewer elements than ranks, shows little. LAMB is
/// asked where they do in most cases.
bool ShowsWhatIsWhole(const Case& c) {
  const bool cuts = c.world_size() == 1 || (c.stage > 0 && c.shards() > 1);
  if (c.experiment.optimizer != OptimizerKind::kMuon)
    return (cuts && HasFeature(c, "boundary_inside")) || c.experiment.seed % 4 == 0;
  return cuts && std::ranges::any_of(c.experiment.parameters, [&](const ParameterSpec& parameter) {
           const bool is_matrix = parameter.shape.size() == 2 && std::ranges::min(parameter.shape) > 1;
           return is_matrix && parameter.numel() > c.world_size();
         });
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers.assign(3, OptimizerKind::kLamb);
  space.optimizers.resize(7, OptimizerKind::kMuon);  // of which most draws are not kept
  space.initial = InitialValues::kUniform;
  space.max_steps = 4;
  space.vary = {"mesh", "loss", "buckets", "clipping"};
  space.keep = ShowsWhatIsWhole;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::whole_tensor_optimizer
