#include "conformance/check/cost/cost_of_tensors.hpp"

#include <vector>

#include "conformance/check/cost/steady_state.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::tensor_cost {

const Clause kClause{
    .id = "C-ZERO-105",
    .name = "cost in the number of tensors",
    .sentence =
        "With as many elements in more tensors, the collective calls, the bytes and the CPU time of a step grow at "
        "most in proportion to the number of tensors.",
    .fidelity = Fidelity::kBounded,
    .how =
        "4096 elements in 8, 64 and 512 equal tensors. Eight times as many tensors make at most eight times as many "
        "calls and bytes, as the ranks count them and as their connections show. CPU time is measured in three turns "
        "over the three numbers, by the cheapest step of each run, of all ranks: it fails if even the least ratio of "
        "two neighbours is above 8 ^ 1.5, the middle between proportion and its square. Ratios that span this limit "
        "are not measured. Smoke compares the counts of 8 and 16 alone.",
    .bugs = {{"FSDP2 looked each parameter up among all of them.", "https://github.com/pytorch/pytorch/pull/174675"},
             {"A counter was never reset: every parameter had a reduction of its own.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7415"},
             {"Each quantized module scanned all parameters: hours of export for 6,000 tensors.",
              "https://github.com/NVIDIA/Model-Optimizer/pull/2152"}},
    .essential = {{"resources"}},
    .features = {"multi_step"},
    .needs = {"the cost of open, save and load"},
};

constexpr int kSteps = 8, kStepsOfSmoke = 2;
constexpr int kTurns = 3;

/// How many tensors there are in each run of a turn.
std::vector<int> Numbers(bool is_smoke) { return is_smoke ? std::vector{8, 16} : std::vector{8, 64, 512}; }

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.min_steps = space.max_steps = kSteps;
  space.smoke_steps = kStepsOfSmoke;
  space.max_micro_batches = 1;
  space.most_cases = 8;
  space.vary = {"mesh", "overlap", "offload"};
  space.finish = [](Case& c) {
    c = InTensors(c, Numbers(true).front());
    c.fidelity = Fidelity::kBounded;
    c.plan.clear();
    c.bucket_cap_bytes = 0;
    c.observe_parameters = c.observe_states = c.observe_gradient = false;
    c.observe_resources = true;
  };
  space.keep = [](const Case& c) { return c.experiment.steps >= kStepsOfSmoke; };
  return space;
}

using Turns = std::vector<std::vector<CostOfTensors>>;  // by number of tensors

/// Counts are the same in every turn.
std::optional<Finding> RunTurn(Trial& trial, const Case& c, const std::vector<int>& numbers, Turns& turns) {
  for (size_t n = 0; n < numbers.size(); ++n) {
    Case run = InTensors(c, numbers[n]);
    run.observe_traffic = trial.can().traffic;
    turns[n].emplace_back(run, trial.Observe(run));
    if (n == 0) continue;
    if (auto finding = CheckCountsInTensors(turns[n - 1].back(), turns[n].back())) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const bool is_smoke = c.experiment.steps < kSteps;
  if (is_smoke && !trial.can().traffic)
    throw RunEnded({.ending = Ending::kUnsupported, .message = "not measured: calls and bytes, which need traffic"});
  if (trial.can().traffic) {
    trial.evidence().Add(FigureSource::kSubject);
  } else {
    trial.evidence().AddNotMeasured("the calls and bytes of a step of more tensors");
  }
  const std::vector<int> numbers = Numbers(is_smoke);
  Turns turns(numbers.size());
  for (int turn = 0; turn < (is_smoke ? 1 : kTurns); ++turn) {
    if (auto finding = RunTurn(trial, c, numbers, turns)) return finding;
  }
  for (size_t n = 1; n < numbers.size() && !is_smoke; ++n) {
    if (auto finding = CheckCpuInTensors(turns[n - 1], turns[n], trial.evidence())) return finding;
  }
  return std::nullopt;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::tensor_cost
