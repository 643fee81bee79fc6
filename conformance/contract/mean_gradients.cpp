#include "conformance/contract/mean_gradients.hpp"

#include <fmt/format.h>

#include <numeric>

#include "reference/experiment/data.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {

float AsSeen(const Experiment& e, double value) {
  const auto rounded = static_cast<float>(value);
  return e.precision == Precision::kBf16 ? RoundToBf16(rounded) : rounded;
}

MeanGradients::Values MeanGradients::Of(int64_t step, int parameter) const {
  Values mean(e_.parameters[parameter].numel(), 0.0);
  for (int g = 0; g < MicroBatches(); ++g) {
    const Values gradient = Gradient(step, g, parameter);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += gradient[i];
  }
  for (double& value : mean) value /= Divisor(parameter);
  return mean;
}

std::vector<Factor> MeanGradients::Factors(int64_t step, int parameter, int64_t element,
                                           const Explains& explains) const {
  const double own = Of(step, parameter)[element];
  if (own == 0) return {};
  return FactorsThat([&](double factor) { return explains(factor * own); }, e_.world_size, e_.micro_batches, replicas_,
                     ExpertsBeside(e_, parameter));
}

std::string MeanGradients::Explain(int64_t step, int parameter, int64_t element, const Explains& explains,
                                   const std::string& factors) const {
  const Values parts = Parts(step, parameter, element);
  const double own = std::reduce(parts.begin(), parts.end());
  if (auto text = ExplainByMicroBatch(parts, explains); !text.empty())
    return text + (factors.empty() ? "" : ", or as well by its own gradient times " + factors);
  if (explains(0)) return "did not move: nobody updates it, or its update was not published";
  if (step > 0) {
    const double before = Of(step - 1, parameter)[element];
    if (explains(own + before)) return "moved by its own gradient and once more by the one of the step before";
    if (explains(before)) return "moved by the gradient of the step before";
    if (auto text = ExplainByRanksBefore(step, parameter, element, own, explains); !text.empty()) return text;
  }
  if (!factors.empty()) return "moved by its own gradient times " + factors;
  if (auto text = ExplainByPart(parts, explains); !text.empty()) return text;
  return ExplainByOtherElement(step, explains);
}

/// The sum over all names of the parameter's elements, each rounded as it is added; zero while they are frozen.
MeanGradients::Values MeanGradients::Gradient(int64_t step, int g, int parameter) const {
  const int owner = e_.roles.OwnerOf(parameter);
  std::vector<float> sum(e_.parameters[parameter].numel()), gradient(sum.size());
  for (int name = 0; name < std::ssize(e_.parameters) && !e_.roles.IsFrozen(owner, step); ++name) {
    if (e_.roles.OwnerOf(name) != owner) continue;
    FillGradient(e_, step, g, name, gradient.data());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] = AsSeen(e_, sum[i] + gradient[i]);
  }
  return Values(sum.begin(), sum.end());
}

/// What each micro-batch adds to the element's mean gradient: [W * K], their sum is the mean.
MeanGradients::Values MeanGradients::Parts(int64_t step, int parameter, int64_t element) const {
  Values parts(MicroBatches());
  for (int g = 0; g < MicroBatches(); ++g) parts[g] = Gradient(step, g, parameter)[element] / Divisor(parameter);
  return parts;
}

std::string MeanGradients::ExplainByMicroBatch(const Values& parts, const Explains& explains) const {
  if (MicroBatches() == 1) return "";
  const double own = std::reduce(parts.begin(), parts.end());
  for (int g = 0; g < MicroBatches(); ++g) {
    const std::string source =
        fmt::format("the gradient of rank {}, micro-batch {},", g / e_.micro_batches, g % e_.micro_batches);
    if (parts[g] == 0) continue;
    if (explains(own - parts[g])) return "moved without " + source + " which was lost";
    if (explains(own + parts[g])) return "moved with " + source + " counted twice";
  }
  return "";
}

/// What all ranks but one, its owner, did not take out of the step before.
std::string MeanGradients::ExplainByRanksBefore(int64_t step, int parameter, int64_t element, double own,
                                                const Explains& explains) const {
  const Values before = Parts(step - 1, parameter, element);
  const double all = std::reduce(before.begin(), before.end());
  const int K = e_.micro_batches;
  for (int owner = 0; e_.world_size > 1 && owner < e_.world_size; ++owner) {
    const double left = all - std::reduce(before.begin() + owner * K, before.begin() + (owner + 1) * K);
    if (left != 0 && explains(own + left))
      return fmt::format("moved by its own gradient and once more by those of the step before, of all ranks but {}",
                         owner);
  }
  return "";
}

/// Only one rank's gradients, or only one micro-batch of each rank.
std::string MeanGradients::ExplainByPart(const Values& parts, const Explains& explains) const {
  const int W = e_.world_size, K = e_.micro_batches;
  for (int rank = 0; W > 1 && rank < W; ++rank) {
    const double alone = std::reduce(parts.begin() + rank * K, parts.begin() + (rank + 1) * K);
    if (explains(alone) || explains(W * alone)) return fmt::format("moved by the gradients of rank {} alone", rank);
  }
  for (int k = 0; K > 1 && k < K; ++k) {
    double alone = 0;
    for (int rank = 0; rank < W; ++rank) alone += parts[rank * K + k];
    if (explains(alone) || explains(K * alone)) return fmt::format("moved by micro-batch {} of each rank alone", k);
  }
  return "";
}

std::string MeanGradients::ExplainByOtherElement(int64_t step, const Explains& explains) const {
  for (size_t p = 0; p < e_.parameters.size(); ++p) {
    const Values mean = Of(step, static_cast<int>(p));
    for (size_t i = 0; i < mean.size(); ++i) {
      if (explains(mean[i])) return fmt::format("moved by the gradient of element {} of {}", i, e_.parameters[p].name);
    }
  }
  return "";
}

}  // namespace zerocts
