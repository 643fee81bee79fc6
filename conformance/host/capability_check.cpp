#include "conformance/host/capability_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "conformance/cases/beyond_abi.hpp"

namespace zerocts {

namespace {

template <typename Item>
bool Has(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

template <typename Enum>
std::vector<std::string> Names(const std::vector<Enum>& values) {
  std::vector<std::string> names;
  for (const Enum value : values) names.push_back(ToString(value));
  return names;
}

template <typename Item>
std::string Beyond(const std::string& what, const std::vector<Item>& declared) {
  return declared.empty() ? what + " (nothing of the kind is declared)"
                          : fmt::format("{} (declared: {})", what, fmt::join(declared, ", "));
}

std::string Undeclared(const char* name, bool asked, bool declared) {
  return asked && !declared ? fmt::format("{} (not declared)", name) : "";
}

std::string First(std::initializer_list<std::string> sentences) {
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}

template <typename Enum>
std::string Unlisted(const std::string& what, Enum asked, const std::vector<Enum>& declared) {
  return Has(declared, asked) ? "" : Beyond(what + " " + ToString(asked), Names(declared));
}

std::string BeyondArrangement(const Case& c, const Capabilities& can) {
  const bool meet_once = c.experiment.micro_batches == 1;  // after the last micro-batch, which is each
  return First(
      {Undeclared("replicas", c.replicas > 1, can.replicas),
       meet_once ? "" : Unlisted("gradient_sync", c.gradient_sync, can.gradient_sync),
       Unlisted("offload", c.offload, can.offload), Undeclared("overlap", c.overlap != Overlap::kAny, can.overlap),
       Undeclared("checkpoint", c.checkpoint.has_value(), can.checkpoint),
       Undeclared("checkpoint_reshard", c.checkpoint && c.checkpoint->other_world_size > 0, can.checkpoint_reshard),
       Undeclared("traffic", c.observe_traffic, can.traffic), Undeclared("timeline", c.observe_timeline, can.timeline),
       Undeclared("memory_estimate", c.observe_memory_estimate, can.memory_estimate)});
}

/// Who only says "2" and "min" need not clip: what is not used may be at its default.
template <typename Enum>
std::string UnlistedClipping(const std::string& what, const Experiment& e, Enum asked, Enum usual,
                             const std::vector<Enum>& declared) {
  return e.max_norm == 0.0f && asked == usual ? "" : Unlisted(what, asked, declared);
}

std::string BeyondLossScaling(const Experiment& e, const Capabilities& can) {
  const LossScaleKind kind = e.loss_scaling.kind;
  if (kind == LossScaleKind::kNone) return "";
  if (std::string beyond = Unlisted("loss scaling", kind, can.loss_scaling); !beyond.empty()) return beyond;
  const bool host_computes = e.gradients == GradientSource::kModel && !Has(can.models, KindOf(*e.model));
  if (!host_computes) return "";
  // Its backward pass would begin with a scale that only the subject knows.
  return Beyond("loss scaling of a model that it does not compute itself, " + KindOf(*e.model), can.models);
}

std::string BeyondSemantics(const Experiment& e, const Capabilities& can) {
  return First({Unlisted("accumulation in", e.accumulation, can.accumulation_dtypes),
                Unlisted("reduction in", e.reduction, can.reduce_dtypes),
                UnlistedClipping("the clip norm", e, e.clip_norm, NormKind::kTwo, can.clip_norms),
                UnlistedClipping("the clip formula", e, e.clip_formula, ClipFormula::kMin, can.clip_formulas),
                BeyondLossScaling(e, can), Undeclared("sgd_variants", HasSgdVariants(e), can.sgd_variants)});
}

/// The formula is the subject's, nobody can ask for another one.
std::string BeyondFormula(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  if (!IsJudgedBy(c.fidelity, e.optimizer, can))
    return fmt::format("the bits of {} (declared: a formula of its own)", ToString(e.optimizer));
  if (e.formula == FormulaOf(can, e.optimizer)) return "";
  return fmt::format("another formula of {} (declared: {})", ToString(e.optimizer),
                     can.formulas.contains(e.optimizer) ? "\"formulas\" of its own" : "none, so this suite's own");
}

std::string BeyondShapes(const Experiment& e, const Capabilities& can) {
  const auto any = [&](auto is) { return std::any_of(e.parameters.begin(), e.parameters.end(), is); };
  return First(
      {Undeclared("shapes: a scalar", any([](const ParameterSpec& p) { return p.shape.empty(); }), can.scalars),
       Undeclared("shapes: a parameter without elements", any([](const ParameterSpec& p) { return p.numel() == 0; }),
                  can.empty_parameters)});
}

std::string ModelsText(const Capabilities& can) {
  return can.inexact_models && can.own_models ? "inexact_models, own_models"
         : can.inexact_models                 ? "inexact_models"
                                              : "own_models";
}

/// A bounded case is about the subject's own arithmetic.
std::string BeyondModels(const Case& c, const Capabilities& can) {
  if (c.experiment.gradients != GradientSource::kModel) return "";
  const std::string kind = KindOf(*c.experiment.model);
  const bool computes = Has(can.models, kind), bounded = c.fidelity == Fidelity::kBounded;
  if (computes && !AreModelsJudgedBy(c.fidelity, can)) {
    return fmt::format("{} of the model {} (declared: {})", bounded ? "a bound" : "bits", kind, ModelsText(can));
  }
  if (computes || (can.host_computes_models && !bounded)) return "";
  return Beyond("gradients of the model " + kind, can.models);
}

std::string BeyondRoles(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  const ParameterRoles& roles = e.roles;
  const bool missing = c.missing_as_null && (!roles.missing.empty() || !roles.without_gradient.empty());
  bool mixed = false;
  for (const ParameterPrecision& entry : roles.precisions) {
    mixed = mixed || entry.precision != e.precision;
    if (!Has(can.param_dtypes, entry.precision))
      return Beyond(ToString(entry.precision) + " parameters", Names(can.param_dtypes));
  }
  return First({Undeclared("frozen", !roles.frozen.empty(), can.frozen),
                Undeclared("missing_gradients", missing, can.missing_gradients),
                Undeclared("tied", !roles.tied.empty(), can.tied),
                Undeclared("buffers", !roles.buffers.empty(), can.buffers),
                Undeclared("mixed_dtypes", mixed, can.mixed_dtypes)});
}

}  // namespace

Capabilities CapabilitiesOf(const HelloMessage& hello, const SubjectOptionValues& options) {
  Capabilities capabilities = CapabilitiesFromJson(hello.capabilities, options);
  capabilities.host_computes_models = !hello.wants_inputs;
  return capabilities;
}

std::string BeyondCapabilities(const Case& c, const Capabilities& can, bool ranks_share_process) {
  const Experiment& e = c.experiment;
  if (std::string beyond = BeyondAbi(e); !beyond.empty()) return beyond;
  if (!Has(can.stages, c.stage)) return Beyond(fmt::format("stage {}", c.stage), can.stages);
  if (!Has(can.param_dtypes, e.precision))
    return Beyond(ToString(e.precision) + " parameters", Names(can.param_dtypes));
  if (!Has(can.optimizers, e.optimizer)) return Beyond("the optimizer " + ToString(e.optimizer), Names(can.optimizers));
  if (e.world_size < can.min_world_size || e.world_size > can.max_world_size) {
    return fmt::format("{} ranks (declared: {} to {})", e.world_size, can.min_world_size, can.max_world_size);
  }
  if (ranks_share_process && !can.ranks_as_threads) return "ranks as threads of one process (not declared)";
  const std::vector<std::string> orders = AtPrecision(can, e.precision).reduction_orders;
  if (c.reduction_order != "any" && !Has(orders, c.reduction_order)) {
    return Beyond(fmt::format("the reduction order {} of {} parameters", c.reduction_order, ToString(e.precision)),
                  orders);
  }
  if (!c.plan.empty() && !Has(can.plans, c.plan)) return Beyond("the plan " + c.plan, can.plans);
  if (c.bucket_cap_bytes && !can.bucket_cap_bytes) return "bucket_cap_bytes (not declared)";
  if (e.max_norm != 0.0f && !can.clip) return "clip (not declared)";
  if (e.micro_batches > 1 && !can.accumulation) return "accumulation (not declared)";
  if (e.groups.size() > 1 && !can.groups) return "groups (not declared)";
  if (!e.changes.empty() && !can.set_group) return "set_group (not declared)";
  if (std::string beyond = BeyondArrangement(c, can); !beyond.empty()) return beyond;
  if (std::string beyond = BeyondSemantics(e, can); !beyond.empty()) return beyond;
  if (std::string beyond = First({BeyondFormula(c, can), BeyondShapes(e, can), BeyondModels(c, can)}); !beyond.empty())
    return beyond;
  return BeyondRoles(c, can);
}

}  // namespace zerocts
