#include "conformance/cli/train/run_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kMostRanks = 1024;
const char* const kRealTraining = "C-ZERO-058";  // the clause that is nearest

int Number(const char* option, const std::string& text) {
  return static_cast<int>(WholeNumber(option, text, 1, kMostRanks));
}

/// The ranks that have data of their own.
int DataRanks(int ranks, int tensor) {
  if (ranks % tensor == 0) return ranks / tensor;
  throw UsageError(fmt::format("--tensor: expected a divisor of the {} ranks, got {}", ranks, tensor));
}

/// What nobody named: sums that tensor ranks split need slices that they divide.
TrainOptions WithDefaults(TrainOptions training, int tensor, const Capabilities& can) {
  if (training.slices.empty() && tensor > 1) training.slices = std::to_string(tensor);
  if (training.optimizer.empty()) training.optimizer = ToString(UsualOptimizer(can));
  return training;
}

/// Without what the subject does not declare, where a training goes on without it.
void FitTraining(const Capabilities& can, RunCase& run) {
  Experiment& e = run.c.experiment;
  const auto without = [&](const char* what, const char* capability) {
    run.notes.push_back(fmt::format("{}: the subject does not declare {}", what, capability));
  };
  if (!can.set_group && !e.changes.empty()) {
    for (HyperParameters& group : e.groups) {
      for (const HyperParameterChange& change : e.changes) group.lr = std::max(group.lr, change.values.lr);
    }
    e.changes.clear();
    without("the learning rate stays at its peak", "set_group");
  }
  if (!can.groups && e.groups.size() > 1) {
    e.groups.resize(1);
    for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
    std::erase_if(e.changes, [](const HyperParameterChange& change) { return change.group > 0; });
    without("biases decay as matrices do", "groups");
  }
  if (!can.clip && e.max_norm != 0) {
    e.max_norm = 0;
    without("gradients are not clipped", "clip");
  }
  if (can.clip && !can.clip_formulas.empty()) e.clip_formula = can.clip_formulas.front();
  e.formula = FormulaOf(can, e.optimizer);
}

/// One that is known before the ranks start and needs no shard, of those that the subject declares.
std::string OrderFor(const Capabilities& can) {
  for (const char* order : {"tree", "rank"}) {
    if (Contains(can.reduction_orders, std::string(order))) return order;
  }
  return "any";
}

Fidelity FidelityFor(const Capabilities& can) {
  if (can.inexact_models) return Fidelity::kBounded;
  return can.own_models ? Fidelity::kSelfParity : Fidelity::kDeclaredOrder;
}

void Arrange(const RunOptions& options, const Capabilities& can, Case& c) {
  c.replicas = Number("--replicas", options.replicas);
  c.stage = options.stage.empty() ? *std::ranges::max_element(can.stages)
                                  : static_cast<int>(WholeNumber("--stage", options.stage, 0, 3));
  c.plan = options.plan;
  if (!Contains(can.gradient_sync, c.gradient_sync)) c.gradient_sync = can.gradient_sync.front();
  c.reduction_order = options.order.empty() ? OrderFor(AtPrecision(can, c.experiment.precision)) : options.order;
  try {
    c.overlap = OverlapFromString(options.overlap);
    c.offload = OffloadFromString(options.offload);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("--{}", wrong.what()));
  }
}

/// Gradients that the host computes have bits in an order that is known before the ranks start.
void RequireOrder(const Case& c, const Capabilities& can) {
  if (c.reduction_order != "any" || Contains(can.models, KindOf(*c.experiment.model))) return;
  throw UsageError(fmt::format(
      "--subject: expected one that computes the model itself or declares the reduction order tree or rank, got one "
      "that declares {}; zerocts check judges it",
      fmt::join(can.reduction_orders, ", ")));
}

void ObserveSteps(Case& c) {
  c.report_steps = c.observe_last_step_only = true;
  c.observe_states = false;
}

}  // namespace

int RanksOf(const RunOptions& options) { return Number("--ranks", options.ranks); }

RunCase CaseOf(const RunOptions& options, const Capabilities& can) {
  const int tensor = Number("--tensor", options.tensor);
  TrainOptions training = WithDefaults(options.training, tensor, can);
  training.world_size = std::to_string(DataRanks(RanksOf(options), tensor));
  RunCase run;
  run.c.clause = kRealTraining;
  run.c.tensor = tensor;
  run.c.experiment = ExperimentOf(training);
  run.c.fidelity = FidelityFor(can);
  Arrange(options, can, run.c);
  FitTraining(can, run);
  ObserveSteps(run.c);
  RequireOrder(run.c, can);
  if (const std::string problem = Problem(run.c); !problem.empty()) throw UsageError(problem);
  return run;
}

}  // namespace zerocts
