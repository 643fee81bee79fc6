// The loss whose gradients are given: the sum of <p, g> over all parameters p, and of curvature / 2 <p, p> over the
// elements of p for which this micro-batch has a gradient (g is not 0). With a curvature the gradient depends on the
// values that forward and backward computed with, so a wrong one shows in what is trained.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

struct Experiment;

/// kLinear: the curvature is 0.
enum class LossShape { kLinear, kQuadratic };
std::string ToString(LossShape shape);  // "linear", "quadratic"
LossShape LossShapeFromString(const std::string& name);
LossShape LossShapeOf(const Experiment& experiment);

/// In place, [count]: from g to the gradient of the loss, in fp32, every operation rounded:
///   g + curvature / 2 * (forward + backward) where g is not 0; 0 * (that) where it is
/// This is g + curvature * p where forward and backward both had p, and NaN wherever one of them had a NaN.
void AddCurvature(float curvature, const float* forward, const float* backward, int64_t count, float* gradient);

/// Adds that of one parameter, [numel], then rounds to its precision; does nothing for a linear loss.
void AddCurvature(const Experiment& experiment, int parameter, const float* forward, const float* backward,
                  float* gradient);

}  // namespace zerocts
