#include "reference/experiment/given_loss.hpp"

#include "reference/experiment/experiment.hpp"
#include "reference/ops/ops.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<LossShape> kShapeNames[] = {{LossShape::kLinear, "linear"}, {LossShape::kQuadratic, "quadratic"}};

}  // namespace

std::string ToString(LossShape shape) { return NameOf(kShapeNames, shape); }
LossShape LossShapeFromString(const std::string& name) { return FromName(kShapeNames, "loss", name); }

LossShape LossShapeOf(const Experiment& experiment) {
  return experiment.curvature == 0 ? LossShape::kLinear : LossShape::kQuadratic;
}

void AddCurvature(float curvature, const float* forward, const float* backward, int64_t count, float* gradient) {
  for (int64_t i = 0; i < count; ++i) {
    const float curved = curvature / 2 * (forward[i] + backward[i]);
    gradient[i] += gradient[i] != 0 ? curved : 0 * curved;
  }
}

void AddCurvature(const Experiment& experiment, int parameter, const float* forward, const float* backward,
                  float* gradient) {
  if (experiment.curvature == 0) return;
  const int64_t numel = experiment.parameters[static_cast<size_t>(parameter)].numel();
  AddCurvature(experiment.curvature, forward, backward, numel, gradient);
  if (PrecisionOf(experiment, parameter) == Precision::kBf16) HostOps().RoundToBf16(gradient, numel);
}

}  // namespace zerocts
