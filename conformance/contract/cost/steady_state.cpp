#include "conformance/check/cost/steady_state.hpp"
#include "conformance/check/cost/cpu_growth.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::steady_state {

const Clause kClause{
    .id = "C-ZERO-104",
    .name = "steady state",
    .sentence = "What a rank holds and has open does not grow from step to step, nor does the CPU time of a step.",
    .fidelity = Fidelity::kBounded,
    .how =
        "200 steps of a small model. After each call the host counts the blocks and bytes of its alloc and of the "
        "heap, the bytes that the process has mapped, its objects (blocks of Python's allocator), open files and "
        "threads. A quarter of the steps warms up; a count grows if its minimum rises in each tenth of the others. The "
        "CPU time of a step is judged by the slope over minima of ten steps with its interval of 99 %: it grows if the "
        "lower end makes a step half as expensive again, in each of three runs. An interval that spans this limit is "
        "not measured. Smoke makes 20 steps, and judges the host's blocks, "
        "files and threads alone: objects and bytes of a process still grow while caches fill. Bytes of a process may "
        "grow by 16 KiB per step: logs that are cut at thousands of entries do. The wall time of a step "
        "belongs to bench.",
    .bugs = {{"Each training step took longer than the one before.",
              "https://github.com/EleutherAI/gpt-neox/issues/1322"},
             {"With zero.Init the memory grew in every iteration.",
              "https://github.com/deepspeedai/DeepSpeed/issues/3286"},
             {"Process groups of gloo never closed their files.", "https://github.com/pytorch/pytorch/issues/129868"},
             {"Reductions that were waited for in one group only left their buffers behind, step after step.",
              "https://github.com/ROCm/pytorch/pull/3501"}},
    .essential = {{"resources"}},
    .features = {"multi_step"},
    .needs = {"small leaks past the host's alloc", "memory of an accelerator", "child processes",
              "instructions in place of CPU time"},
};

constexpr int kSteps = 200, kStepsOfSmoke = 20;

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.min_steps = space.max_steps = kSteps;
  space.smoke_steps = kStepsOfSmoke;
  space.max_micro_batches = 2;
  space.most_cases = 8;
  space.vary = {"mesh", "gradient sync", "overlap", "offload", "clipping"};
  space.finish = [](Case& c) {
    c.fidelity = Fidelity::kBounded;
    c.observe_parameters = c.observe_states = c.observe_gradient = false;
    c.observe_resources = true;
  };
  space.keep = [](const Case& c) { return c.experiment.steps >= kStepsOfSmoke; };
  return space;
}

/// A single run may have grown slower as the machine got busy.
std::optional<Finding> JudgeCpu(Trial& trial, const Case& c, CostGrowth growth) {
  constexpr int kRuns = 3;
  for (int run = 1; run < kRuns && growth.is == CostGrowth::Is::kGrowing; ++run)
    growth = CpuGrowthOf(c, trial.Observe(c));
  if (growth.is == CostGrowth::Is::kGrowing) return Finding{growth.sentence, std::nullopt};
  if (growth.is == CostGrowth::Is::kNotMeasured) trial.evidence().AddNotMeasured("the CPU time of a step");
  return std::nullopt;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (!ShowsResources(ranks))
    throw RunEnded({.ending = Ending::kUnsupported, .message = "not measured: the ranks do not show what calls leave"});
  if (auto finding = CheckCountsAreSteady(c, ranks, trial.evidence())) return finding;
  if (c.experiment.steps < kSteps) return std::nullopt;
  return JudgeCpu(trial, c, CpuGrowthOf(c, ranks));
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::steady_state
