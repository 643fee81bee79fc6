#include "conformance/cases/inputs/rank_inputs.hpp"

#include <memory>
#include <vector>

#include "conformance/cases/inputs/given_gradient.hpp"

namespace zerocts {
namespace {

void VisitGradients(const Case& c, const MicroBatchPosition& position, int64_t g, InputVisitor& visitor) {
  std::vector<float> gradient;
  for (int p = 0; p < static_cast<int>(c.experiment.parameters.size()); ++p) {
    if (IsGivenAsNull(c, p, position.step, g)) {
      visitor.NoGradient(position, p);
      continue;
    }
    gradient.resize(static_cast<size_t>(c.experiment.parameters[static_cast<size_t>(p)].numel()));
    FillGivenGradient(c, position.step, g, p, gradient.data());
    visitor.Gradient(position, p, gradient);
  }
}

}  // namespace

void VisitInputs(const Case& c, int rank, InputVisitor& visitor) {
  const Experiment& experiment = c.experiment;
  std::vector<float> values;
  for (int p = 0; p < static_cast<int>(experiment.parameters.size()); ++p) {
    values.resize(static_cast<size_t>(experiment.parameters[static_cast<size_t>(p)].numel()));
    FillInitialValues(experiment, p, values);
    visitor.Initial(values);
  }
  std::shared_ptr<const TextCorpus> text;
  if (experiment.gradients == GradientSource::kModel) text = TextCorpus::SharedFor(experiment);
  for (int64_t step = FirstStep(c); step < experiment.steps; ++step) {
    for (int k = 0; k < experiment.micro_batches; ++k) {
      const int64_t g = GlobalMicroBatch(c, rank, k);
      if (text) {
        visitor.Batches({step, k}, MakeBatch(experiment, *text, step, g));
      } else {
        VisitGradients(c, {step, k}, g, visitor);
      }
    }
  }
}

}  // namespace zerocts
