#include "reference/experiment/micro_batch_gradient.hpp"

namespace zerocts {
namespace {

void AddTiedGradients(const Experiment& e, const std::vector<int64_t>& offsets, int64_t step, int64_t g, Ops& ops,
                      float* gradient) {
  std::vector<bool> begun;  // by a name that gives a gradient
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    begun.push_back(GivesGradient(e, static_cast<int>(p), step, g));
    const size_t owner = e.roles.OwnerOf(p);
    if (owner == p || !begun[p]) continue;
    float *sum = gradient + offsets[owner], *own = gradient + offsets[p];
    const int64_t numel = offsets[p + 1] - offsets[p];
    if (begun[owner]) {
      ops.Add(sum, own, numel);
      if (PrecisionOf(e, owner) == Precision::kBf16) ops.RoundToBf16(sum, numel);
    } else {
      ops.Copy(sum, own, numel * static_cast<int64_t>(sizeof(float)));
      begun[owner] = true;
    }
    ops.Fill(own, 0.0f, numel);
  }
}

}  // namespace

void FinishMicroBatch(const Experiment& e, const std::vector<int64_t>& offsets, int64_t step, int64_t g,
                      float loss_scale, Ops& ops, float* gradient) {
  const bool given = e.gradients != GradientSource::kModel;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    float* own = gradient + offsets[p];
    const int64_t numel = offsets[p + 1] - offsets[p];
    if (!GivesGradient(e, static_cast<int>(p), step, g)) {
      ops.Fill(own, 0.0f, numel);
      continue;
    }
    if (given && loss_scale != 1.0f) ops.Scale(own, loss_scale, numel);
    if (PrecisionOf(e, p) == Precision::kBf16) ops.RoundToBf16(own, numel);
  }
  if (!e.roles.tied.empty()) AddTiedGradients(e, offsets, step, g, ops, gradient);
}

}  // namespace zerocts
