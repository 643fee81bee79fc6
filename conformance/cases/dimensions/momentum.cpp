// Momentum of SGD: with or without, and on request Nesterov's or with dampening. hyper_parameter_draws.cpp draws it
// with the other hyper-parameters of a group.
#include "conformance/cases/capabilities/beyond_abi.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/group_values.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool HasMomentum(const Case& c) {
  return c.experiment.optimizer == OptimizerKind::kSgd &&
         AnyGroupAtAnyStep(c.experiment, [](const HyperParameters& h) { return h.momentum != 0; });
}

bool HasNesterov(const Case& c) {
  return c.experiment.optimizer == OptimizerKind::kSgd &&
         AnyGroupAtAnyStep(c.experiment, [](const HyperParameters& h) { return h.nesterov; });
}

bool HasDampening(const Case& c) {
  return AnyGroupAtAnyStep(c.experiment, [](const HyperParameters& h) { return h.dampening != 0; });
}

std::vector<Requirement> RequirementsOfMomentum() {
  std::vector<Requirement> requirements = NeedsOptimizer({"momentum", "nesterov", "dampening"}, OptimizerKind::kSgd);
  requirements.push_back(NeedsFlag({"nesterov", "dampening"}, "sgd_variants", &Capabilities::sgd_variants));
  return requirements;
}

std::string BeyondMomentum(const Case& c, const Capabilities& can) {
  return Undeclared("sgd_variants", HasSgdVariants(c.experiment), can.sgd_variants);
}

/// Dampening, or Nesterov's.
void ProbeForVariant(Case& c, float dampening, bool nesterov) {
  if (c.experiment.optimizer != OptimizerKind::kSgd) return;
  HyperParameters& group = c.experiment.groups.front();
  group.momentum = 0.5f;
  group.dampening = dampening;
  group.nesterov = nesterov;
}

void SimplerMomentum(Simplifying& simpler) {
  simpler.TryHyperParameters([](HyperParameters& h) { h.nesterov = false; });
  simpler.TryHyperParameters([](HyperParameters& h) { h.dampening = 0; });
  simpler.TryHyperParameters([](HyperParameters& h) {
    h.momentum = 0;
    h.nesterov = false;
  });
}

std::string KindOfMomentum(const Case& c) {
  if (!HasMomentum(c)) return "none";
  return HasNesterov(c) ? "nesterov" : HasDampening(c) ? "dampened" : "plain";
}

NamedValues KindsOfMomentum() {
  const auto sgd = [](const RunTerms& terms) { return Contains(terms.can.optimizers, OptimizerKind::kSgd); };
  const auto variants = [sgd](const RunTerms& terms) { return sgd(terms) && terms.can.sgd_variants; };
  return ValuesOf({{"none"}, {"plain", sgd}, {"nesterov", variants}, {"dampened", variants}}, KindOfMomentum);
}

}  // namespace

Dimension MomentumDimension() {
  return {.name = "momentum",
          .values = KindsOfMomentum(),
          .form = {.features = {{"momentum", "the optimizer is SGD with momentum", HasMomentum},
                                {"nesterov", "SGD with Nesterov's momentum", HasNesterov},
                                {"dampening", "SGD with dampening", HasDampening}}},
          .declared = {.requirements = RequirementsOfMomentum(),
                       .capabilities = {DeclaresFlag("sgd_variants", &Capabilities::sgd_variants)},
                       .beyond = BeyondMomentum,
                       .probes = {ProbeFor([](Case& c) { ProbeForVariant(c, 0.5f, false); }),
                                  ProbeFor([](Case& c) { ProbeForVariant(c, 0, true); })}},
          .drawn = {.on_request = true, .simplifications = {{Simplicity::kOptimizer, SimplerMomentum}}}};
}

}  // namespace zerocts
