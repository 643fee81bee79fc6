#include "conformance/session/floors.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "conformance/cases/choices.hpp"

namespace zerocts {
namespace {

/// Features that a subject can only show with a declared capability.
struct Demand {
  std::set<std::string> features;
  std::string capability;
  bool declared;
};

std::vector<int> OfferedWorldSizes(const SessionSettings& settings) {
  const Capabilities& can = settings.info.capabilities;
  std::vector<int> sizes = settings.world_sizes;
  std::erase_if(sizes, [&](int size) { return size < can.min_world_size || size > can.max_world_size; });
  return sizes;
}

/// Are two of the sizes multiples of one number above 1?
bool HaveACommonDivisor(const std::vector<int>& sizes) {
  for (size_t a = 0; a < sizes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (std::gcd(sizes[a], sizes[b]) > 1) return true;
    }
  }
  return false;
}

/// What is declared for the run: without orders where none holds for a precision of it.
Capabilities DeclaredFor(const SessionSettings& settings) {
  const Capabilities& can = settings.info.capabilities;
  for (const Precision precision : Common(settings.precisions, can.param_dtypes)) {
    if (Contains(can.ordered_dtypes, precision)) return can;
  }
  Capabilities without = can;
  without.reduction_orders.clear();
  return without;
}

std::vector<Demand> Demands(const SessionSettings& settings, Fidelity fidelity) {
  const Capabilities can = DeclaredFor(settings);
  const auto has = [](const auto& list, const auto& item) { return std::ranges::find(list, item) != list.end(); };
  const bool parity = fidelity == Fidelity::kSelfParity, order = !can.reduction_orders.empty();
  const bool named_order = parity ? NamesAnOrderOfOneRank(can) : NamesAnOrder(can);
  const auto in_words = [&](OptimizerKind optimizer) { return IsJudgedBy(fidelity, optimizer, can); };
  const bool fp32 = has(can.param_dtypes, Precision::kFp32) && has(settings.precisions, Precision::kFp32);
  const int largest = settings.world_sizes.empty() ? 0 : std::ranges::max(settings.world_sizes);
  const std::vector<int> sizes = OfferedWorldSizes(settings);
  return {
      {{"accumulation", "multi_window", "sync_each"}, "accumulation", can.accumulation},
      {{"multi_group", "empty_group"}, "groups", can.groups},
      {{"clip_active", "clip_inactive", "clip_random", "clip_norm_one", "clip_norm_infinity", "clip_formula_torch",
        "clip_formula_above", "clip_formula_deepspeed", "clip_formula_deepspeed_fp64"},
       "clip",
       can.clip},
      {{"lr_change", "hyper_change"}, "set_group", can.set_group},
      {{"bucket", "bucket_partial", "bucket_exact", "bucket_oversize"}, "bucket_cap_bytes", can.bucket_cap_bytes},
      {{"sgd", "momentum", "nesterov", "dampening"}, "sgd", has(can.optimizers, OptimizerKind::kSgd)},
      {{"adamw"}, "adamw", has(can.optimizers, OptimizerKind::kAdamW)},
      {{"sgd", "momentum", "nesterov", "dampening"}, "sgd by a formula that has words", in_words(OptimizerKind::kSgd)},
      {{"adamw"}, "adamw by a formula that has words", in_words(OptimizerKind::kAdamW)},
      {{"bf16"}, "bf16", has(can.param_dtypes, Precision::kBf16) && has(settings.precisions, Precision::kBf16)},
      {{"bf16"},
       "a reduction order declared for bf16",
       fidelity != Fidelity::kDeclaredOrder || !order || Contains(can.ordered_dtypes, Precision::kBf16)},
      {{"random_gradients", "clip_random"}, "a declared reduction order", order},
      {{"random_gradients"}, "the reduction order rank or tree", named_order || !parity},
      {{"clip_random"}, "a norm whose bits are defined (not inexact_norm)", !can.inexact_norm},
      {{"model_on_text"}, "groups and a reduction order that has a name", named_order && can.groups},
      {{"model_on_text"},
       parity ? "models whose bits repeat" : "models by bits",
       AreModelsJudgedBy(fidelity, can) && (can.host_computes_models || !can.models.empty())},
      {{"real_training"}, "groups and models mlp", can.groups && has(can.models, std::string("mlp"))},
      {{"real_training"}, "models within a bound", AreModelsJudgedBy(Fidelity::kBounded, can)},
      {{"adam"}, "adam", has(can.optimizers, OptimizerKind::kAdam)},
      {{"adam"}, "adam by a formula that has words", in_words(OptimizerKind::kAdam)},
      {{"lamb"}, "lamb", has(can.optimizers, OptimizerKind::kLamb)},
      {{"lamb"}, "lamb by a formula that has words", in_words(OptimizerKind::kLamb)},
      {{"scalar"}, "shapes scalar", can.scalars},
      {{"zero_numel"}, "shapes empty", can.empty_parameters},
      {{"nesterov", "dampening"}, "sgd_variants", can.sgd_variants},
      {{"clip_norm_one"}, "clip_norms 1", has(can.clip_norms, NormKind::kOne)},
      {{"clip_norm_infinity"}, "clip_norms inf", has(can.clip_norms, NormKind::kInfinity)},
      {{"clip_formula_torch"}, "clip_formulas torch", has(can.clip_formulas, ClipFormula::kTorch)},
      {{"clip_formula_above"}, "clip_formulas above", has(can.clip_formulas, ClipFormula::kAbove)},
      {{"clip_formula_deepspeed"}, "clip_formulas deepspeed", has(can.clip_formulas, ClipFormula::kDeepSpeed)},
      {{"clip_formula_deepspeed_fp64"},
       "clip_formulas deepspeed_fp64",
       has(can.clip_formulas, ClipFormula::kDeepSpeedFp64)},
      {{"mesh"}, "replicas", can.replicas},
      {{"sync_each"}, "gradient_sync each", has(can.gradient_sync, GradientSync::kEach)},
      {{"overlap"}, "overlap", can.overlap},
      {{"offload"},
       "offload from stage 1 on",
       (has(can.offload, Offload::kParams) || has(can.offload, Offload::kFull)) && can.stages != std::vector{0}},
      {{"bf16_accumulation", "bf16_reduction"}, "a reduction order that has a name", named_order},
      {{"bf16_accumulation"}, "accumulation_dtypes bf16", has(can.accumulation_dtypes, Precision::kBf16)},
      {{"bf16_reduction"}, "reduce_dtypes bf16", has(can.reduce_dtypes, Precision::kBf16)},
      {{"frozen", "thawed", "resumed_frozen"}, "frozen", can.frozen},
      {{"missing_some", "missing_all"}, "missing_gradients", can.missing_gradients},
      {{"tied"}, "tied", can.tied},
      {{"tied"},
       "fp32 or a declared reduction order",
       fp32 || order},  // names whose sum is rounded to bf16 show the order
      {{"buffer"}, "buffers", can.buffers},
      {{"mixed_precisions"}, "mixed_dtypes", can.mixed_dtypes && can.param_dtypes.size() > 1},
      {{"loss_scaling", "overflow"}, "loss_scaling", !can.loss_scaling.empty()},
      {{"dynamic_scale"}, "loss_scaling dynamic", has(can.loss_scaling, LossScaleKind::kDynamic)},
      {{"save", "resume", "resumed_change", "resumed_frozen", "resumed_scale", "damaged"},
       "checkpoint",
       can.checkpoint},
      {{"loaded_by_more", "loaded_by_fewer", "loaded_on_mesh"}, "checkpoint_reshard", can.checkpoint_reshard},
      {{"loaded_by_more", "loaded_by_fewer"}, "two world sizes", sizes.size() > 1},
      {{"loaded_on_mesh"}, "replicas", can.replicas},
      {{"loaded_on_mesh"}, "two world sizes that can have as many replicas", HaveACommonDivisor(sizes)},
      {{"resumed_change"}, "set_group", can.set_group},
      {{"resumed_scale"}, "loss_scaling dynamic", has(can.loss_scaling, LossScaleKind::kDynamic)},
      {{"uneven", "numel_below_w", "empty_rank", "boundary_inside", "boundary_on_edge", "mesh"},
       "more than one rank",
       std::min(largest, can.max_world_size) > 1},
  };
}

}  // namespace

int64_t FloorOf(int64_t cases) { return std::max<int64_t>(1, (cases + 19) / 20); }

std::string MissingFor(const std::string& feature, const SessionSettings& settings, Fidelity fidelity) {
  for (const Demand& demand : Demands(settings, fidelity)) {
    if (!demand.declared && demand.features.contains(feature)) return "needs: " + demand.capability;
  }
  return "";
}

std::vector<std::set<std::string>> LastShown(const Clause& clause, const std::vector<Precision>& precisions,
                                             const SessionSettings& settings) {
  const auto shown_in = [&](Precision precision) {
    SessionSettings of_precision = settings;
    of_precision.precisions = {precision};
    std::set<std::string> features(clause.features.begin(), clause.features.end());
    std::erase_if(features, [&](const std::string& feature) {
      return !MissingFor(feature, of_precision, clause.fidelity).empty();
    });
    return features;
  };
  std::map<Precision, std::set<std::string>> shown;
  for (const Precision precision : precisions) {
    if (!shown.contains(precision)) shown[precision] = shown_in(precision);
  }
  std::vector<std::set<std::string>> last(precisions.size());
  std::set<std::string> later;
  for (size_t i = precisions.size(); i-- > 0;) {
    const std::set<std::string>& here = shown[precisions[i]];
    std::ranges::set_difference(here, later, std::inserter(last[i], last[i].end()));
    later.insert(here.begin(), here.end());
  }
  return last;
}

FeatureCounts Floors::Wanted() const {
  FeatureCounts wanted;
  for (const FloorCount& floor : counts) {
    if (floor.count < floor.needed) wanted[floor.feature] = floor.needed - floor.count;
  }
  return wanted;
}

Floors FloorsOf(const Clause& clause, const FeatureCounts& features, int64_t cases, const SessionSettings& settings) {
  Floors floors;
  for (const std::string& feature : clause.features) {
    if (const std::string missing = MissingFor(feature, settings, clause.fidelity); !missing.empty()) {
      floors.needs.push_back(feature + " " + missing);
      continue;
    }
    const auto found = features.find(feature);
    floors.counts.push_back({feature, found == features.end() ? 0 : found->second, FloorOf(cases)});
  }
  return floors;
}

}  // namespace zerocts
