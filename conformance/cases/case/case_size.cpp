#include "conformance/cases/case/case_size.hpp"

#include <fmt/format.h>

#include "reference/model/model_spec.hpp"

namespace zerocts {
namespace {

/// As floating point, which has room for every product.
struct Size {
  const char* what;
  double got, most;
};

/// Without those of impossible shapes, of which the experiment's own problem tells.
double Elements(const Experiment& e) {
  double elements = 0;
  for (const ParameterSpec& parameter : e.parameters) {
    elements += static_cast<double>(CheckedNumel(parameter.shape).value_or(0));
  }
  return elements;
}

/// That all ranks predict from in all steps.
double Targets(const Experiment& e, double micro_batches) {
  return e.model ? micro_batches * static_cast<double>(e.batch) * static_cast<double>(TargetsPerSequence(*e.model)) : 0;
}

}  // namespace

std::string SizeProblem(const Case& c) {
  const Experiment& e = c.experiment;
  const auto parameters = static_cast<double>(e.parameters.size());
  const auto steps = c.report_steps ? 1.0 : static_cast<double>(e.steps);  // else somebody watches, and stops it
  const double elements = Elements(e), ranks = static_cast<double>(e.world_size) * c.tensor;
  const double micro_batches = steps * ranks * e.micro_batches;  // of all ranks in all steps
  const Size sizes[] = {{"experiment.parameters", parameters, 0x1p12},
                        {"experiment.steps", steps, 0x1p10},
                        {"experiment.world_size", ranks, 0x1p14},
                        {"experiment.micro_batches", static_cast<double>(e.micro_batches), 0x1p10},
                        {"experiment.parameters, their elements", elements, 0x1p28},
                        {"experiment, its tensors (parameters x steps x ranks)", parameters * steps * ranks, 0x1p20},
                        {"experiment, elements of its gradients (elements x steps x ranks x micro-batches)",
                         elements * micro_batches, 0x1p31},
                        {"experiment, products of its model (elements x predicted tokens)",
                         elements * Targets(e, micro_batches), 0x1p40}};
  for (const Size& size : sizes) {
    if (size.got <= size.most) continue;
    return fmt::format("{}: expected at most {:.0f}, got {:.0f}", size.what, size.most, size.got);
  }
  return "";
}

}  // namespace zerocts
