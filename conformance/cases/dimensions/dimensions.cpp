#include <stdexcept>

#include "conformance/cases/aims/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/draw/features.hpp"

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
Dimension ObservationDimension();
Dimension VocabParallelDimension();
Dimension SequenceParallelDimension();
Dimension KvHeadsDimension();
Dimension MistakeDimension();
Dimension UndeclaredDimension();

const std::vector<Dimension>& Dimensions() {
  static const std::vector<Dimension> kDimensions = {
      WorldSizeDimension(),
      PrecisionDimension(),
      GradientsDimension(),
      StepsDimension(),
      MicroBatchesDimension(),
      ExponentDimension(),
      ModelDimension(),
      TensorDimension(),
      KvHeadsDimension(),
      ShapesDimension(),
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
      ObservationDimension(),
      VocabParallelDimension(),
      SequenceParallelDimension(),
      MistakeDimension(),
      UndeclaredDimension(),
  };
  return kDimensions;
}

const Dimension& FindDimension(const std::string& name) {
  const auto found = std::ranges::find(Dimensions(), name, &Dimension::name);
  if (found == Dimensions().end()) throw std::out_of_range("there is no dimension '" + name + "'");
  return *found;
}

std::string MissingFor(const std::string& feature, const RunTerms& terms) {
  for (const Dimension& dimension : Dimensions()) {
    for (const Demand& demand : dimension.demands) {
      if (Contains(demand.features, feature) && !demand.met(terms)) return "needs: " + demand.capability;
    }
  }
  return "";
}

std::set<std::string> FeaturesOf(const Case& c) {
  std::set<std::string> names;
  for (const Dimension& dimension : Dimensions()) {
    for (const Feature& feature : dimension.features) {
      if (feature.present && feature.present(c)) names.insert(feature.name);
    }
    if (dimension.find_together) dimension.find_together(c, [&](const std::string& name) { names.insert(name); });
  }
  return names;
}

bool HasFeature(const Case& c, const std::string& name) {
  for (const Dimension& dimension : Dimensions()) {
    const auto feature = std::ranges::find(dimension.features, name, &Feature::name);
    if (feature == dimension.features.end()) continue;
    if (feature->present) return feature->present(c);
    bool is_found = false;
    dimension.find_together(c, [&](const std::string& found) { is_found = is_found || found == name; });
    return is_found;
  }
  throw std::out_of_range("there is no feature '" + name + "'");
}

const std::vector<std::pair<std::string, std::string>>& FeatureMeanings() {
  static const std::vector<std::pair<std::string, std::string>> kMeanings = [] {
    std::vector<std::pair<std::string, std::string>> meanings;
    for (const Dimension& dimension : Dimensions()) {
      for (const Feature& feature : dimension.features) meanings.emplace_back(feature.name, feature.meaning);
    }
    return meanings;
  }();
  return kMeanings;
}

std::string WithMeaning(const std::string& feature) {
  const auto found = std::ranges::find(FeatureMeanings(), feature, &std::pair<std::string, std::string>::first);
  return feature + ": " + (found == FeatureMeanings().end() ? "not described" : found->second);
}

}  // namespace zerocts
