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
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bounds/huge_memory.hpp"
#include "bench/engine/workload.hpp"

namespace zerocts {

struct StepBytes {
  int64_t reduce_scatter = 0, update = 0, all_gather = 0;
  int64_t total() const { return reduce_scatter + update + all_gather; }
};

/// The formula above, for parts of equal size, numel / world_size rounded down to whole cache lines.
class StepBound {
 public:
  StepBound(const Workload& workload, int64_t numel, int world_size);
  StepBytes bytes() const;

  // Each moves its bytes once.
  void ReduceScatter();
  void Update();
  void AllGather();

 private:
  const int world_size_;
  const bool narrow_;       // bf16 parameters
  const int64_t part_;      // n
  const int64_t updated_;   // u
  const int64_t gathered_;  // floats that take as many bytes as the parts of the others
  HugeMemory contributions_, master_, moment1_, moment2_, gradient_;
  HugeMemory compute_;  // bf16 parameters, two in the place of one float
};

}  // namespace zerocts
