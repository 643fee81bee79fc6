#include "impl/stages/for_test/experiment_run.hpp"

#include "reference/experiment/data.hpp"

namespace zerocts::engine {

TestRun RunOfExperiment(const Experiment& e, int stage) {
  TestRun run;
  run.world_size = e.world_size;
  run.steps = e.steps;
  run.batch = e.batch;
  run.settings.stage = stage;
  run.settings.experts = e.experts.count;
  if (e.experts.divisor == ExpertDivisor::kGroup) run.settings.expert_divisor = DivisorOfExperts::kGroup;
  run.settings.model = e.model;
  run.settings.precision = e.precision;
  run.settings.micro_batches = e.micro_batches;
  run.settings.optimizer.kind = e.optimizer;
  run.settings.groups = e.groups;
  run.settings.max_norm = e.max_norm;
  run.settings.clip_norm = e.clip_norm;
  run.settings.loss_scaling = e.loss_scaling;
  run.settings.accumulation = e.accumulation;
  run.settings.reduction = e.reduction;
  for (int p = 0; p < std::ssize(e.parameters); ++p) {
    run.settings.parameters.push_back(
        {.spec = e.parameters[p], .precision = e.precision, .expert = e.experts.ExpertOf(p)});
    run.initial.push_back(InitialValuesOf(e, p));
  }
  return run;
}

}  // namespace zerocts::engine
