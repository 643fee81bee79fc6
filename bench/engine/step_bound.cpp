#include "bench/engine/step_bound.hpp"

#include <algorithm>

#include "bench/bounds/memory_bound.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

constexpr int64_t kLine = 32;  // elements: whole cache lines of fp32 and of bf16
constexpr int64_t kFloatBytes = sizeof(float);

int64_t WholeLines(int64_t numel) { return numel / kLine * kLine; }

/// Bytes of one element of what is gathered at the end of a step; 0: nothing is.
int64_t GatheredElementBytes(const Workload& workload) {
  if (workload.stage == 3) return 0;
  const bool narrow = workload.stage > 0 && workload.precision == Precision::kBf16;
  return narrow ? sizeof(Bf16) : kFloatBytes;
}

}  // namespace

StepBound::StepBound(const Workload& workload, int64_t numel, int world_size)
    : world_size_(world_size),
      narrow_(workload.precision == Precision::kBf16),
      part_(WholeLines(numel / world_size)),
      updated_(workload.stage == 0 ? part_ * world_size : part_),
      gathered_((world_size - 1) * part_ * GatheredElementBytes(workload) / kFloatBytes),
      contributions_(part_ * world_size),
      master_(updated_),
      moment1_(updated_),
      moment2_(updated_),
      gradient_(std::max(updated_, gathered_)),
      compute_(narrow_ ? updated_ / 2 : 0) {}

StepBytes StepBound::bytes() const {
  return {kFloatBytes * (world_size_ + 1) * part_, (narrow_ ? 30 : 28) * updated_, 2 * kFloatBytes * gathered_};
}

void StepBound::ReduceScatter() { SumAsBound(master_.floats(), contributions_.floats(), world_size_, part_); }

void StepBound::Update() {
  if (narrow_) {
    UpdateAndNarrowAsBound(master_.floats(), moment1_.floats(), moment2_.floats(), gradient_.floats(),
                           reinterpret_cast<uint16_t*>(compute_.floats()), updated_);
  } else {
    UpdateAsBound(master_.floats(), moment1_.floats(), moment2_.floats(), gradient_.floats(), updated_);
  }
}

void StepBound::AllGather() { CopyAsBound(gradient_.floats(), contributions_.floats(), gathered_); }

}  // namespace zerocts
