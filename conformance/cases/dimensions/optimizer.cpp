// The optimizer and the hyper-parameters that groups begin with.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/group_values.hpp"
#include "conformance/cases/dimensions/hyper_parameter_draws.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/model_shapes.hpp"

namespace zerocts {
namespace {

const std::vector<OptimizerKind> kOptimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam,
                                                OptimizerKind::kLamb, OptimizerKind::kMuon};

Feature Of(const std::string& name, const std::string& meaning, OptimizerKind optimizer) {
  return {name, meaning, [optimizer](const Case& c) { return c.experiment.optimizer == optimizer; }};
}

bool DecaysWeights(const Case& c) {
  return AnyGroupAtAnyStep(c.experiment, [](const HyperParameters& h) { return h.weight_decay != 0; });
}

bool IsMatrix(const ParameterSpec& parameter) { return parameter.shape.size() == 2; }

/// Those of a plan file or of a model are given, and may be others.
bool MayHaveMatricesAlone(const RunTerms& terms) {
  if (!HaveGivenParameters(terms.constraints)) return true;
  const auto given = GivenParameters(terms.constraints, 1);  // of any number of ranks
  return std::ranges::all_of(*given, IsMatrix);
}

std::vector<Requirement> RequirementsOfOptimizers() {
  std::vector<Requirement> requirements = {
      {{"muon"}, "a plan file or a model of matrices alone", MayHaveMatricesAlone}};
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

/// The elements of any tensor as a matrix, as square as a vector can be cut; vectors of equal size have one shape.
/// Without elements it has no rows: torch divides by the number of columns.
std::vector<int64_t> AsMatrix(const std::vector<int64_t>& shape) {
  if (*CheckedNumel(shape) == 0) return {0, 3};
  if (shape.size() == 2) return shape;
  if (shape.size() > 2) return {shape[0], *CheckedNumel({shape.begin() + 1, shape.end()})};
  const int64_t numel = shape.empty() ? 1 : shape[0];
  int64_t side = 1;
  for (int64_t divisor = 2; divisor * divisor <= numel; ++divisor) side = numel % divisor == 0 ? divisor : side;
  return numel % 2 == 0 ? std::vector{numel / side, side} : std::vector{side, numel / side};
}

/// Muon moves nothing else.
void MakeMatrices(Experiment& e) {
  for (ParameterSpec& parameter : e.parameters) parameter.shape = AsMatrix(parameter.shape);
}

/// Muon is no choice where the given parameters are no matrices.
NamedValues NamesOfOptimizers() {
  NamedValues names = ListedValues(&Capabilities::optimizers, [](const Case& c) { return c.experiment.optimizer; });
  names.available = [declared = names.available](const RunTerms& terms) {
    std::vector<std::string> available = declared(terms);
    if (!MayHaveMatricesAlone(terms)) std::erase(available, ToString(OptimizerKind::kMuon));
    return available;
  };
  return names;
}

bool DrawOptimizer(Drawing& drawing) {
  Experiment& e = drawing.e;
  e.optimizer = drawing.draws.Pick(drawing.allowed.optimizers);
  e.formula = FormulaOf(drawing.can, e.optimizer);
  const bool own_shapes = drawing.given() && !HaveGivenParameters(drawing.conditions.constraints);
  if (e.optimizer == OptimizerKind::kMuon && own_shapes) MakeMatrices(e);
  for (HyperParameters& group : e.groups) group = DrawHyperParameters(drawing);
  return true;
}

/// One that is declared may have a formula that nobody can ask for.
void ProbeForUndeclared(Case& c, OptimizerKind optimizer, const Capabilities& can) {
  if (Contains(can.optimizers, optimizer)) return;
  c.experiment.optimizer = optimizer;
  c.experiment.formula = FormulaOf(can, optimizer);
  if (optimizer == OptimizerKind::kMuon && !c.experiment.model) MakeMatrices(c.experiment);
}

uint32_t CodeOf(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd: return ZEROCTS_SGD;
    case OptimizerKind::kAdamW: return ZEROCTS_ADAMW;
    case OptimizerKind::kAdam: return ZEROCTS_ADAM;
    case OptimizerKind::kLamb: return ZEROCTS_LAMB;
    case OptimizerKind::kMuon: return ZEROCTS_MUON;
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
  return {.name = "optimizer",
          .values = ChosenBy("optimizer", "Optimizers", NamesOf(kOptimizers), NamesOfOptimizers()),
          .form = {.tell = TellOptimizer,
                   .features = {Of("sgd", "the optimizer is SGD", OptimizerKind::kSgd),
                                Of("adamw", "the optimizer is AdamW", OptimizerKind::kAdamW),
                                Of("adam", "the optimizer is Adam: the decay is added to the gradient",
                                   OptimizerKind::kAdam),
                                Of("lamb", "the optimizer is LAMB: one step length per whole parameter",
                                   OptimizerKind::kLamb),
                                Of("muon", "the optimizer is Muon: each matrix as a whole", OptimizerKind::kMuon),
                                {"weight_decay", "a group has weight decay", DecaysWeights}}},
          .declared = {.requirements = RequirementsOfOptimizers(),
                       .beyond = BeyondOptimizer,
                       .probes = ProbeForEach(kOptimizers, ProbeForUndeclared)},
          .drawn = {.draw = DrawOptimizer, .simplifications = {{Simplicity::kOptimizer, SimplerOptimizer}}}};
}

}  // namespace zerocts
