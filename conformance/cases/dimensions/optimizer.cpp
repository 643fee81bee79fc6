// The optimizer and the hyper-parameters that groups begin with.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/group_values.hpp"
#include "conformance/cases/dimensions/hyper_parameter_draws.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

const std::vector<OptimizerKind> kOptimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam,
                                                OptimizerKind::kLamb};

Feature Of(const std::string& name, const std::string& meaning, OptimizerKind optimizer) {
  return {name, meaning, [optimizer](const Case& c) { return c.experiment.optimizer == optimizer; }};
}

bool DecaysWeights(const Case& c) {
  return AnyGroupAtAnyStep(c.experiment, [](const HyperParameters& h) { return h.weight_decay != 0; });
}

std::vector<Requirement> RequirementsOfOptimizers() {
  std::vector<Requirement> requirements;
  for (const OptimizerKind optimizer : kOptimizers) {
    const std::vector<Requirement> more = NeedsOptimizer({ToString(optimizer)}, optimizer);
    requirements.insert(requirements.end(), more.begin(), more.end());
  }
  return requirements;
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
  return FirstOf({Unlisted("the optimizer", c.experiment.optimizer, can.optimizers), BeyondFormula(c, can)});
}

bool DrawOptimizer(Drawing& drawing) {
  Experiment& e = drawing.e;
  e.optimizer = drawing.draws.Pick(drawing.allowed.optimizers);
  e.formula = FormulaOf(drawing.can, e.optimizer);
  for (HyperParameters& group : e.groups) group = DrawHyperParameters(drawing);
  return true;
}

/// One that is declared may have a formula that nobody can ask for.
void ProbeForUndeclared(Case& c, OptimizerKind optimizer, const Capabilities& can) {
  if (Contains(can.optimizers, optimizer)) return;
  c.experiment.optimizer = optimizer;
  c.experiment.formula = FormulaOf(can, optimizer);
}

uint32_t CodeOf(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd: return ZEROCTS_SGD;
    case OptimizerKind::kAdamW: return ZEROCTS_ADAMW;
    case OptimizerKind::kAdam: return ZEROCTS_ADAM;
    case OptimizerKind::kLamb: return ZEROCTS_LAMB;
  }
  throw std::logic_error("OptimizerKind out of range");
}

void TellOptimizer(const Case& c, zerocts_open_args& args) { args.optimizer = CodeOf(c.experiment.optimizer); }

void SimplerOptimizer(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.optimizer = OptimizerKind::kSgd; });
  simpler.TryHyperParameters([](HyperParameters& h) { h.weight_decay = 0; });
}

}  // namespace

Dimension OptimizerDimension() {
  return {
      .name = "optimizer",
      .values = ChosenBy("optimizer", "Optimizers", NamesOf(kOptimizers),
                         ListedValues(&Capabilities::optimizers, [](const Case& c) { return c.experiment.optimizer; })),
      .form =
          {.tell = TellOptimizer,
           .features = {Of("sgd", "the optimizer is SGD", OptimizerKind::kSgd),
                        Of("adamw", "the optimizer is AdamW", OptimizerKind::kAdamW),
                        Of("adam", "the optimizer is Adam: the decay is added to the gradient", OptimizerKind::kAdam),
                        Of("lamb", "the optimizer is LAMB: one step length per whole parameter", OptimizerKind::kLamb),
                        {"weight_decay", "a group has weight decay", DecaysWeights}}},
      .declared = {.requirements = RequirementsOfOptimizers(),
                   .beyond = BeyondOptimizer,
                   .probes = ProbeForEach(kOptimizers, ProbeForUndeclared)},
      .drawn = {.draw = DrawOptimizer, .simplifications = {{Simplicity::kOptimizer, SimplerOptimizer}}}};
}

}  // namespace zerocts
