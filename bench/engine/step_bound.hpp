// What memory allows one optimizer step of one rank. Derivation, with Psi elements on W ranks, n = Psi / W elements of
// this rank and u elements that it updates (n; in stage 0 Psi); every byte that has to be read or written counts once,
// whatever caches do, and a store does not read what it overwrites:
//   reduce-scatter  reads W contributions of n elements, writes n means             4 (W + 1) n
//   AdamW           reads gradient, master, two moments; writes master, moments     28 u, and 2 u more for bf16
//                   parameters
//   all-gather      reads the others' parts and writes them (stage 3: not in a step) 2 e (W - 1) n, e bytes per
//                   element: of the parameters, in stage 0 of the fp32 mean gradients
// For W = 2 in fp32 that is 24 Psi per rank in stages 1 and 2, 38 Psi in stage 0, 20 Psi in stage 3. The time is that
// of three loops which move just these bytes, in the same mix of reads and writes, in memory of the rank's own, on all
// ranks at once and in the same run.
#pragma once
#include <algorithm>
#include <cstdint>

#include "bench/bounds/huge_memory.hpp"
#include "bench/bounds/memory_bound.hpp"
#include "bench/engine/workload.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {

struct StepBytes {
  int64_t reduce_scatter = 0, update = 0, all_gather = 0;
  int64_t total() const { return reduce_scatter + update + all_gather; }
};

/// The formula above, for parts of equal size, numel / world_size rounded down to whole cache lines.
class StepBound {
 public:
  StepBound(const Workload& workload, int64_t numel, int world_size)
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
  StepBytes bytes() const {
    return {kFloatBytes * (world_size_ + 1) * part_, (narrow_ ? 30 : 28) * updated_, 2 * kFloatBytes * gathered_};
  }

  // Each moves its bytes once.
  void ReduceScatter() { SumAsBound(master_.floats(), contributions_.floats(), world_size_, part_); }
  void Update() {
    if (narrow_) {
      UpdateAndNarrowAsBound(master_.floats(), moment1_.floats(), moment2_.floats(), gradient_.floats(),
                             reinterpret_cast<uint16_t*>(compute_.floats()), updated_);
    } else {
      UpdateAsBound(master_.floats(), moment1_.floats(), moment2_.floats(), gradient_.floats(), updated_);
    }
  }
  void AllGather() { CopyAsBound(gradient_.floats(), contributions_.floats(), gathered_); }

 private:
  static constexpr int64_t kLine = 32;  // elements: whole cache lines of fp32 and of bf16
  static constexpr int64_t kFloatBytes = sizeof(float);

  static int64_t WholeLines(int64_t numel) { return numel / kLine * kLine; }

  /// Bytes of one element of what is gathered at the end of a step; 0: nothing is.
  static int64_t GatheredElementBytes(const Workload& workload) {
    if (workload.stage == 3) return 0;
    const bool narrow = workload.stage > 0 && workload.precision == Precision::kBf16;
    return narrow ? sizeof(Bf16) : kFloatBytes;
  }

  const int world_size_;
  const bool narrow_;       // bf16 parameters
  const int64_t part_;      // n
  const int64_t updated_;   // u
  const int64_t gathered_;  // floats that take as many bytes as the parts of the others
  HugeMemory contributions_, master_, moment1_, moment2_, gradient_;
  HugeMemory compute_;  // bf16 parameters, two in the place of one float
};

}  // namespace zerocts
