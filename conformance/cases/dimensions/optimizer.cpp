// The optimizer and the hyper-parameters that groups begin with.
#include <cmath>

#include "conformance/cases/beyond_abi.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/hyper_parameter_draws.hpp"

namespace zerocts {
namespace {

using Holds = bool (*)(const HyperParameters&);

/// Do hyper-parameters of any group have it at any step?
bool AtAnyStep(const Experiment& e, Holds holds) {
  for (int64_t step = 0; step < e.steps; ++step) {
    if (std::ranges::any_of(GroupsAtStep(e, step), holds)) return true;
  }
  return false;
}

Feature Of(const std::string& name, const std::string& meaning, OptimizerKind optimizer) {
  return {name, meaning, [optimizer](const Case& c) { return c.experiment.optimizer == optimizer; }};
}

Feature With(const std::string& name, const std::string& meaning, Holds holds) {
  return {name, meaning, [holds](const Case& c) { return AtAnyStep(c.experiment, holds); }};
}

bool HasMomentum(const Case& c) {
  return c.experiment.optimizer == OptimizerKind::kSgd &&
         AtAnyStep(c.experiment, [](const HyperParameters& h) { return h.momentum != 0; });
}

/// Is the optimizer declared, and are its results judged by a formula?
std::vector<Demand> DemandsFor(const std::vector<std::string>& features, OptimizerKind optimizer) {
  const std::string name = ToString(optimizer);
  return {NeedsEntry(features, name, &Capabilities::optimizers, optimizer),
          {features, name + " by a formula that has words",
           [optimizer](const RunTerms& terms) { return IsJudgedBy(terms.fidelity, optimizer, terms.can); }}};
}

std::vector<Demand> AllDemands() {
  std::vector<Demand> demands;
  const auto add = [&](const std::vector<Demand>& more) { demands.insert(demands.end(), more.begin(), more.end()); };
  add(DemandsFor({"sgd", "momentum", "nesterov", "dampening"}, OptimizerKind::kSgd));
  add(DemandsFor({"adamw"}, OptimizerKind::kAdamW));
  add(DemandsFor({"adam"}, OptimizerKind::kAdam));
  add(DemandsFor({"lamb"}, OptimizerKind::kLamb));
  add({NeedsFlag({"nesterov", "dampening"}, "sgd_variants", &Capabilities::sgd_variants)});
  return demands;
}

/// The formula is the subject's, nobody can ask for another one.
std::string BeyondFormula(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  if (!IsJudgedBy(c.fidelity, e.optimizer, can)) {
    return fmt::format("the bits of {} (declared: a formula of its own)", ToString(e.optimizer));
  }
  if (e.formula == FormulaOf(can, e.optimizer)) return "";
  return fmt::format("another formula of {} (declared: {})", ToString(e.optimizer),
                     can.formulas.contains(e.optimizer) ? "\"formulas\" of its own" : "none, so this suite's own");
}

std::string BeyondOptimizer(const Case& c, const Capabilities& can) {
  return FirstOf({Unlisted("the optimizer", c.experiment.optimizer, can.optimizers),
                  Undeclared("sgd_variants", HasSgdVariants(c.experiment), can.sgd_variants), BeyondFormula(c, can)});
}

bool DrawOptimizer(Drawing& drawing) {
  Experiment& e = drawing.e;
  e.optimizer = drawing.draws.Pick(drawing.allowed.optimizers);
  e.formula = FormulaOf(drawing.can, e.optimizer);
  for (HyperParameters& group : e.groups) group = DrawHyperParameters(drawing);
  return true;
}

void SimplerOptimizer(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.optimizer = OptimizerKind::kSgd; });
  simpler.TryHyperParameters([](HyperParameters& h) { h.weight_decay = 0; });
  simpler.TryHyperParameters([](HyperParameters& h) { h.nesterov = false; });
  simpler.TryHyperParameters([](HyperParameters& h) { h.dampening = 0; });
  simpler.TryHyperParameters([](HyperParameters& h) {
    h.momentum = 0;
    h.nesterov = false;
  });
}

}  // namespace

Dimension OptimizerDimension() {
  return {
      .name = "optimizer",
      .values = ChosenBy("optimizer", "Optimizers",
                         NamesOf<OptimizerKind>(
                             {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb}),
                         ListedValues(&Capabilities::optimizers, [](const Case& c) { return c.experiment.optimizer; })),
      .features = {Of("sgd", "the optimizer is SGD", OptimizerKind::kSgd),
                   {"momentum", "the optimizer is SGD with momentum", HasMomentum},
                   Of("adamw", "the optimizer is AdamW", OptimizerKind::kAdamW),
                   Of("adam", "the optimizer is Adam: the decay is added to the gradient", OptimizerKind::kAdam),
                   Of("lamb", "the optimizer is LAMB: one step length per whole parameter", OptimizerKind::kLamb),
                   With("nesterov", "SGD with Nesterov's momentum",
                        [](const HyperParameters& h) { return h.nesterov; }),
                   With("dampening", "SGD with dampening", [](const HyperParameters& h) { return h.dampening != 0; }),
                   With("weight_decay", "a group has weight decay",
                        [](const HyperParameters& h) { return h.weight_decay != 0; })},
      .demands = AllDemands(),
      .offers = {OffersFlag("sgd_variants", &Capabilities::sgd_variants)},
      .beyond = BeyondOptimizer,
      .draw = DrawOptimizer,
      .simplifications = {{Simplicity::kOptimizer, SimplerOptimizer}}};
}

}  // namespace zerocts
