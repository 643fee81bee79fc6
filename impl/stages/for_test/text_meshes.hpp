// Real training on a text, on meshes of three axes.
#pragma once
#include <gtest/gtest.h>

#include "impl/stages/for_test/experiment_run.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trace.hpp"

namespace zerocts::engine {

struct MeshOfThree {
  int replicas, shards, tensor, stage;
  int data_ranks() const { return replicas * shards; }
};
inline void PrintTo(const MeshOfThree& m, std::ostream* out) {
  *out << ToString(HybridMesh(m.replicas, m.shards, m.tensor)) << ", stage " << m.stage;
}

/// 20 steps of `micro_batches` per data rank.
inline Experiment ExperimentOn(const MeshOfThree& mesh, int micro_batches, const TemporaryText& text,
                               const ModelSpec& model, Precision precision) {
  Experiment e = TextExperiment(text, model);
  e.precision = precision;
  e.world_size = mesh.data_ranks();
  e.micro_batches = micro_batches;
  e.max_norm = 0.25f;
  return e;
}

/// In the order `tree`. `e` and `text` are the caller's while the run is used.
inline TestRun RunOf(const Experiment& e, const MeshOfThree& mesh, const TextCorpus& text) {
  TestRun run = RunOfExperiment(e, mesh.stage);
  run.world_size *= mesh.tensor;
  run.settings.replicas = mesh.replicas;
  run.settings.tensor = mesh.tensor;
  run.settings.reduction_order = "tree";
  run.tokens = [&e, &text](int64_t step, int64_t g) { return MakeBatch(e, text, step, g); };
  return run;
}

inline void ExpectSteps(const std::vector<StepTrace>& expected, const std::vector<Snapshot>& got) {
  ASSERT_EQ(got.size(), expected.size());
  bool clipped = false;
  for (size_t s = 0; s < got.size(); ++s) {
    clipped = clipped || expected[s].clip_coefficient < 1;
    ASSERT_EQ(got[s].grad_norm, CanonicalBits(expected[s].grad_norm)) << "step " << s;
    ASSERT_EQ(got[s].states.at("gradient"), BitsOf(expected[s].gradient)) << "step " << s;
    ASSERT_EQ(got[s].states.at("master"), BitsOf(expected[s].master)) << "step " << s;
    ASSERT_EQ(got[s].parameters, BitsOf(expected[s].parameter)) << "step " << s;
  }
  EXPECT_TRUE(clipped);
}

}  // namespace zerocts::engine
