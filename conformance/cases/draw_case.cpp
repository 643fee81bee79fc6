#include "conformance/cases/draw_case.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/cases/choices.hpp"
#include "conformance/cases/draw_magnitude.hpp"
#include "conformance/cases/draw_semantics.hpp"
#include "conformance/cases/gradient_norm.hpp"
#include "conformance/cases/shapes.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

float PowerOfTwo(int64_t exponent) { return std::ldexp(1.0f, static_cast<int>(exponent)); }

/// What hyper-parameters are drawn from.
struct HyperSpace {
  bool simple_sgd, sgd_variants;
  OptimizerKind optimizer;
};

HyperParameters DrawHyperParameters(const HyperSpace& space, Draws& draws) {
  HyperParameters h;
  if (space.simple_sgd) {
    h.lr = PowerOfTwo(-draws.Between(0, 4));
    return h;
  }
  h.lr = static_cast<float>(2 * draws.Between(0, 3) + 1) * PowerOfTwo(-draws.Between(4, 9));
  if (draws.Percent(60)) h.weight_decay = draws.Pick<float>({0.125f, 0.1f, 0.01f});
  if (space.optimizer == OptimizerKind::kSgd) {
    if (draws.Percent(65)) h.momentum = draws.Pick<float>({0.5f, 0.875f, 0.9f});
    if (space.sgd_variants && h.momentum > 0) {
      h.nesterov = draws.Percent(40);
      if (!h.nesterov && draws.Percent(60)) h.dampening = draws.Pick<float>({0.25f, 0.1f});
    }
  } else {
    h.beta1 = draws.Pick<float>({0.5f, 0.875f, 0.9f});
    h.beta2 = draws.Pick<float>({0.875f, 0.99f, 0.999f});
    h.eps = draws.Pick<float>({1e-8f, PowerOfTwo(-20)});
  }
  return h;
}

/// Half of the changes are of the learning rate alone, as a schedule makes them.
HyperParameters DrawChanged(const HyperParameters& before, const HyperSpace& space, Draws& draws) {
  HyperParameters after = before;
  if (!space.simple_sgd && draws.Percent(60)) after = DrawHyperParameters(space, draws);
  if (after == before || draws.Percent(50)) after.lr = before.lr * draws.Pick<float>({0.25f, 0.5f, 2.0f});
  return after;
}

/// Two squares, whose sum is exact in fp32 by any way of adding.
bool HasExactSquares(const Experiment& e) {
  constexpr int kLargestExponent = 24;  // leaves some for clauses that scale what was drawn
  return e.gradients == GradientSource::kPythagorean && std::abs(e.gradient_exponent) <= kLargestExponent;
}

class CaseDrawer {
 public:
  CaseDrawer(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities, int size, Draws& draws)
      : space_(space),
        place_(place),
        capabilities_(AtPrecision(capabilities, place.precision)),
        allowed_(AllowedOf(space, place, capabilities)),
        size_(size),
        draws_(draws) {}

  std::optional<Case> Draw() {
    c_.clause = space_.clause;
    e_.world_size = place_.world_size;
    e_.precision = place_.precision;
    e_.seed = static_cast<uint64_t>(draws_.Between(1, 1'000'000'000));
    DrawData();
    DrawParametersAndGroups();
    DrawOptimizer();
    DrawSemantics(space_, capabilities_, draws_, e_);
    if (!DrawArrangement()) return std::nullopt;
    DrawMagnitude(space_, capabilities_, draws_, c_);
    if (!Problem(c_).empty() || !TakesShapes()) return std::nullopt;
    DrawClipping();  // needs the norm, so all that gradients depend on
    DrawReads();
    if (space_.checkpoint) c_.checkpoint = {draws_.Between(0, std::max<int64_t>(e_.steps - 2, 0)), *space_.checkpoint};
    if (space_.checkpoint == CheckpointUse::kReshard && !DrawOtherWorldSize()) return std::nullopt;
    if (space_.damage)
      c_.checkpoint->damage = {draws_.Pick<Damage>({Damage::kMissing, Damage::kCut}), draws_.Between(0, 15)};
    c_.observe_gradient = Contains<std::string>(capabilities_.states, "gradient");
    if (space_.finish) space_.finish(c_);
    if (!Problem(c_).empty() || (space_.keep && !space_.keep(c_))) return std::nullopt;
    return c_;
  }

 private:
  void DrawData() {
    e_.gradients = draws_.Pick(allowed_.gradients);
    e_.steps = space_.shapes == ShapeStyle::kLarge ? 1 : draws_.Between(space_.min_steps, space_.max_steps);
    if (capabilities_.accumulation) e_.micro_batches = static_cast<int>(draws_.Between(1, space_.max_micro_batches));
    if (IsExact(e_.gradients)) e_.gradient_exponent = draws_.Pick<int>({-3, -1, 0, 0, 0, 2});
    if (e_.gradients == GradientSource::kModel) {
      static const TextCorpus text = TextCorpus::Load(DefaultTextPath());
      e_.text = DefaultTextPath();
      e_.text_hash = text.hash();
      e_.batch = draws_.Between(2, 5);
    }
  }

  void DrawParametersAndGroups() {
    if (e_.gradients == GradientSource::kModel) {
      e_.model = space_.bounded ? ModelSpec(DrawMlp(draws_)) : DrawModel(draws_);
      e_.parameters = ModelParameters(*e_.model);
      e_.initial = space_.initial == InitialValues::kUniform ? InitialValues::kUniform : InitialValues::kModel;
      e_.groups.resize(2);
      return;
    }
    e_.parameters = DrawParameters(space_.shapes, e_.world_size, size_, draws_);
    e_.initial = space_.initial == InitialValues::kModel ? InitialValues::kUniform : space_.initial;
    if (capabilities_.groups && space_.max_groups > 1 && draws_.Percent(70)) DrawGroups();
  }

  void DrawGroups() {
    const int64_t count = draws_.Between(2, space_.max_groups);
    e_.groups.resize(static_cast<size_t>(count));
    const int64_t empty =
        draws_.Percent(space_.shapes == ShapeStyle::kDegenerate ? 50 : 35) ? draws_.Between(0, count - 1) : -1;
    int64_t next = draws_.Between(0, count - 1);
    for (ParameterSpec& parameter : e_.parameters) {
      if (next == empty) next = (next + 1) % count;
      parameter.group = static_cast<int>(next);
      next = draws_.Percent(60) ? (next + 1) % count : draws_.Between(0, count - 1);
    }
  }

  void DrawOptimizer() {
    e_.optimizer = draws_.Pick(allowed_.optimizers);
    e_.formula = FormulaOf(capabilities_, e_.optimizer);
    const HyperSpace hyper{space_.simple_sgd, space_.optimizer_variants && capabilities_.sgd_variants, e_.optimizer};
    for (HyperParameters& group : e_.groups) group = DrawHyperParameters(hyper, draws_);
    if (!space_.hyper_changes || !capabilities_.set_group) return;
    std::vector<HyperParameters> now = e_.groups;
    for (int64_t step = 1; step < e_.steps; ++step) {
      for (size_t group = 0; group < now.size(); ++group) {
        if (!draws_.Percent(70)) continue;
        now[group] = DrawChanged(now[group], hyper, draws_);
        e_.changes.push_back({step, static_cast<int>(group), now[group]});
      }
    }
  }

  bool TakesShapes() const {
    return std::all_of(e_.parameters.begin(), e_.parameters.end(), [this](const ParameterSpec& p) {
      return (capabilities_.scalars || !p.shape.empty()) && (capabilities_.empty_parameters || p.numel() > 0);
    });
  }

  /// False when the stage has no reduction order that the data need.
  bool DrawArrangement() {
    c_.stage = draws_.Pick(allowed_.stages);
    if (!allowed_.plans.empty()) c_.plan = draws_.Pick(allowed_.plans);
    if (space_.buckets && capabilities_.bucket_cap_bytes && draws_.Percent(80)) c_.bucket_cap_bytes = DrawBucketBytes();
    std::vector<std::string> orders = allowed_.reduction_orders;
    if (c_.stage == 0) {
      std::erase(orders, "ring");  // in stage 0 an element has no owner, from which a ring's order starts
    }
    c_.fidelity = FidelityOf(space_);
    if (c_.fidelity == Fidelity::kBitwise) {
      c_.fidelity = IsExact(e_) ? Fidelity::kExactInputs : Fidelity::kDeclaredOrder;
    }
    if (space_.bounded || IsExact(e_)) {
      std::erase(orders, "probed");  // there is nothing to reveal
      orders.push_back("any");
    }
    if (orders.empty()) return false;
    c_.reduction_order = draws_.Pick(orders);
    DrawMesh(space_, capabilities_, draws_, c_);
    return true;
  }

  /// Around the sizes of parameters: one that is filled exactly, smaller than the largest, all in one, anything
  /// between.
  uint64_t DrawBucketBytes() {
    const int64_t element_bytes = e_.precision == Precision::kBf16 ? 2 : 4;
    const int64_t total = TotalNumel(e_);
    int64_t largest = 0;
    for (const ParameterSpec& parameter : e_.parameters) largest = std::max(largest, parameter.numel());
    const std::vector<int64_t> candidates = {draws_.Pick(e_.parameters).numel(), largest, (largest + 1) / 2, total,
                                             draws_.Between(1, std::max<int64_t>(total, 1))};
    return static_cast<uint64_t>(element_bytes * std::max<int64_t>(draws_.Pick(candidates), 1));
  }

  void DrawClipping() {
    if (!space_.clip || !capabilities_.clip || !draws_.Percent(85)) return;
    if (capabilities_.inexact_norm && !HasExactSquares(e_)) return;  // the norm's bits are not defined
    if (!Contains(capabilities_.clip_norms, e_.clip_norm)) e_.clip_norm = capabilities_.clip_norms.front();
    if (!Contains(capabilities_.clip_formulas, e_.clip_formula)) e_.clip_formula = capabilities_.clip_formulas.front();
    if (space_.clip_variants) {
      e_.clip_norm = draws_.Pick(capabilities_.clip_norms);
      e_.clip_formula = draws_.Pick(capabilities_.clip_formulas);
    }
    const float norm = KnownGradientNorms(e_).front();
    const float length = norm > e_.clip_epsilon ? norm : norm + e_.clip_epsilon;  // what a tiny norm counts for
    const float ratio = draws_.Pick<float>({2.0f, 1.0f, 0.5f, PowerOfTwo(-10)});  // of max_norm to it
    e_.max_norm = norm > 0 && std::isfinite(norm) ? length * ratio : 1.0f;
  }

  /// False when the run has no other number of ranks that makes as many replicas.
  bool DrawOtherWorldSize() {
    std::vector<int> others = OtherWorldSizes(place_, capabilities_);
    std::erase_if(others, [this](int size) { return size % c_.replicas != 0; });
    if (!others.empty()) c_.checkpoint->other_world_size = draws_.Pick(others);
    return !others.empty();
  }

  void DrawReads() {
    if (!space_.reads) return;
    c_.read_order = draws_.Pick<ReadOrder>({ReadOrder::kForward, ReadOrder::kReversed, ReadOrder::kShuffled});
    c_.read_before_step = draws_.Percent(50);
    c_.read_twice = draws_.Percent(50);
  }

  const CaseSpace& space_;
  const CasePlace& place_;
  const Capabilities capabilities_;  // at the place's precision
  const Allowed allowed_;
  const int size_;
  Draws& draws_;
  Case c_;
  Experiment& e_ = c_.experiment;
};

}  // namespace

namespace {

/// Are the subject's gradients from this source what the space can judge?
bool CanJudge(const CaseSpace& space, GradientSource source, const Capabilities& can) {
  const bool has_order = space.parity ? NamesAnOrderOfOneRank(can) : !can.reduction_orders.empty();
  if (source != GradientSource::kModel) return IsExact(source) || has_order;
  if (!can.groups) return false;  // matrices and biases are two groups
  if (!AreModelsJudgedBy(FidelityOf(space), can)) return false;
  if (space.bounded) return Contains<std::string>(can.models, "mlp");
  return has_order && NamesAnOrder(can) && (can.host_computes_models || !can.models.empty());
}

}  // namespace

Fidelity FidelityOf(const CaseSpace& space) {
  return space.bounded ? Fidelity::kBounded : space.parity ? Fidelity::kSelfParity : Fidelity::kBitwise;
}

std::vector<int> OtherWorldSizes(const CasePlace& place, const Capabilities& capabilities) {
  std::vector<int> others = place.world_sizes;
  std::erase_if(others, [&](int size) {
    return size == place.world_size || size < capabilities.min_world_size || size > capabilities.max_world_size;
  });
  return others;
}

Allowed AllowedOf(const CaseSpace& space, const CasePlace& place, const Capabilities& of_all) {
  const Capabilities capabilities = AtPrecision(of_all, place.precision);
  Allowed allowed;
  allowed.stages = Common(place.stages, Common(space.stages, capabilities.stages));
  allowed.optimizers =
      Common(space.simple_sgd ? std::vector{OptimizerKind::kSgd} : space.optimizers, capabilities.optimizers);
  std::erase_if(allowed.optimizers,
                [&](OptimizerKind optimizer) { return !IsJudgedBy(FidelityOf(space), optimizer, capabilities); });
  allowed.plans = Common(place.plans, capabilities.plans);
  allowed.reduction_orders = capabilities.reduction_orders;
  allowed.gradient_sync = capabilities.gradient_sync;
  for (const GradientSource source : space.gradients) {
    if (CanJudge(space, source, capabilities)) allowed.gradients.push_back(source);
  }
  if (space.clip && capabilities.clip && capabilities.inexact_norm &&
      !Contains(allowed.gradients, GradientSource::kPythagorean)) {
    allowed.gradients.push_back(GradientSource::kPythagorean);  // else there would be nothing to clip by
  }
  return allowed;
}

std::optional<Case> DrawCase(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities, int size,
                             Draws& draws) {
  return CaseDrawer(space, place, capabilities, size, draws).Draw();
}

std::optional<Case> DrawFittingCase(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities,
                                    int size, Draws& draws) {
  for (int attempt = 0; attempt < kDrawTries; ++attempt) {
    if (auto c = DrawCase(space, place, capabilities, size, draws)) return c;
  }
  return std::nullopt;
}

}  // namespace zerocts
