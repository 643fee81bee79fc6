#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {

// One more dimension is a file of this folder, its line here and its line below.
Dimension WorldSizeDimension();
Dimension PrecisionDimension();
Dimension GradientsDimension();
Dimension StepsDimension();
Dimension MicroBatchesDimension();
Dimension ExponentDimension();
Dimension ModelDimension();
Dimension TensorDimension();
Dimension ShapesDimension();
Dimension BlockSizesDimension();
Dimension GroupsDimension();
Dimension OptimizerDimension();
Dimension MomentumDimension();
Dimension HyperChangesDimension();
Dimension BuffersDimension();
Dimension TiedDimension();
Dimension ExpertsDimension();
Dimension MixedPrecisionsDimension();
Dimension FrozenDimension();
Dimension MissingGradientsDimension();
Dimension SumsDimension();
Dimension LossScalingDimension();
Dimension StageDimension();
Dimension PlanDimension();
Dimension BucketsDimension();
Dimension ReductionOrderDimension();
Dimension MeshDimension();
Dimension GradientSyncDimension();
Dimension OverlapDimension();
Dimension OffloadDimension();
Dimension MagnitudeDimension();
Dimension ClippingDimension();
Dimension ClipNormDimension();
Dimension ClipFormulaDimension();
Dimension ReadOrderDimension();
Dimension FurtherReadsDimension();
Dimension CheckpointDimension();
Dimension CheckpointDamageDimension();
Dimension LossDimension();
Dimension StepsReadDimension();
Dimension ExtraCallsDimension();
Dimension ObservationDimension();
Dimension VocabParallelDimension();
Dimension SequenceParallelDimension();
Dimension KvHeadsDimension();
Dimension InvalidRequestDimension();
Dimension UndeclaredDimension();

const std::vector<Dimension>& Dimensions() {
  // clang-format off
  static const std::vector<Dimension> kDimensions = {
      WorldSizeDimension(),  // drawn first
      PrecisionDimension(),
      GradientsDimension(),
      StepsDimension(),
      MicroBatchesDimension(),
      ExponentDimension(),
      ModelDimension(),
      TensorDimension(),
      KvHeadsDimension(),
      ShapesDimension(),
      BlockSizesDimension(),
      GroupsDimension(),
      OptimizerDimension(),
      MomentumDimension(),
      HyperChangesDimension(),
      BuffersDimension(),
      TiedDimension(),
      ExpertsDimension(),
      MixedPrecisionsDimension(),
      FrozenDimension(),
      MissingGradientsDimension(),
      SumsDimension(),
      LossScalingDimension(),
      StageDimension(),
      PlanDimension(),
      BucketsDimension(),
      ReductionOrderDimension(),
      MeshDimension(),
      GradientSyncDimension(),
      OverlapDimension(),
      OffloadDimension(),
      MagnitudeDimension(),
      ClippingDimension(),
      ClipNormDimension(),
      ClipFormulaDimension(),
      ReadOrderDimension(),
      FurtherReadsDimension(),
      CheckpointDimension(),
      CheckpointDamageDimension(),
      LossDimension(),
      StepsReadDimension(),
      ExtraCallsDimension(),
      ObservationDimension(),
      VocabParallelDimension(),
      SequenceParallelDimension(),
      InvalidRequestDimension(),
      UndeclaredDimension(),
  };
  // clang-format on
  return kDimensions;
}

const Dimension& FindDimension(const std::string& name) {
  const auto found = std::ranges::find(Dimensions(), name, &Dimension::name);
  if (found == Dimensions().end()) throw std::out_of_range("there is no dimension '" + name + "'");
  return *found;
}

std::string MissingFor(const std::string& feature, const RunTerms& terms) {
  for (const Dimension& dimension : Dimensions()) {
    for (const Requirement& requirement : dimension.declared.requirements) {
      if (Contains(requirement.features, feature) && !requirement.met(terms)) return "needs: " + requirement.capability;
    }
  }
  return "";
}

bool IsCostly(const std::string& name) {
  return std::ranges::any_of(Dimensions(), [&](const Dimension& dimension) {
    return std::ranges::any_of(dimension.form.features,
                               [&](const Feature& feature) { return feature.name == name && feature.costly; });
  });
}

}  // namespace zerocts
