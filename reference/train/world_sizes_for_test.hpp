// World-size invariance: one global batch, trained as the micro-batches of 1, 2, 4 or 8 ranks, has equal bits.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/experiment/hash.hpp"
#include "reference/train/trace.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// The same W * K micro-batches on `world_size` ranks, which has to divide their number.
inline Experiment SplitOver(Experiment e, int world_size) {
  const int micro_batches = e.world_size * e.micro_batches;
  EXPECT_EQ(micro_batches % world_size, 0);
  e.world_size = world_size;
  e.micro_batches = micro_batches / world_size;
  return e;
}

/// Trains `e` as each of `world_sizes` ranks in the order `tree`; hashes of every tensor after every step, norms,
/// scales and skips have to be those of the first. Returns the last step, for the caller to see that something was
/// trained.
inline StepTrace ExpectSameBitsOnEveryWorldSize(const Experiment& e, const std::vector<int>& world_sizes) {
  std::vector<StepTrace> expected;
  for (const int world_size : world_sizes) {
    const Experiment split = SplitOver(e, world_size);
    const ReductionOrder tree = UniformOrder(split, TreeFold(split.world_size, split.micro_batches));
    const std::vector<StepTrace> steps = Train(split, tree, HostOps());
    if (expected.empty()) expected = steps;
    for (size_t s = 0; s < steps.size(); ++s) {
      const std::string where = "W = " + std::to_string(world_size) + ", step " + std::to_string(s);
      EXPECT_EQ(TensorHashes(split, steps[s]), TensorHashes(split, expected[s])) << where;
      EXPECT_EQ(CanonicalBits(steps[s].grad_norm), CanonicalBits(expected[s].grad_norm)) << where;
      EXPECT_EQ(steps[s].losses, expected[s].losses) << where;
      EXPECT_EQ(steps[s].loss_scale, expected[s].loss_scale) << where;
      EXPECT_EQ(steps[s].skipped, expected[s].skipped) << where;
    }
  }
  return expected.back();
}

}  // namespace zerocts
