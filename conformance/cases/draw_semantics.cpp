#include "conformance/cases/draw_semantics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/cases/choices.hpp"
#include "conformance/cases/role_edits.hpp"

namespace zerocts {
namespace {

constexpr int64_t kLargestScaleExponent = 16;

class SemanticsDrawer {
 public:
  SemanticsDrawer(const CaseSpace& space, const Capabilities& capabilities, Draws& draws, Experiment& experiment)
      : space_(space),
        can_(capabilities),
        draws_(draws),
        e_(experiment),
        given_(experiment.gradients != GradientSource::kModel) {}

  void Draw() {
    if (space_.buffers && can_.buffers && draws_.Percent(60)) DrawBuffer();
    if (space_.tied && can_.tied && given_ && draws_.Percent(60)) DrawTied();
    if (space_.mixed_precisions && MixesPrecisions() && draws_.Percent(60)) DrawPrecisions();
    if (space_.frozen && can_.frozen && draws_.Percent(60)) DrawFrozen();
    if (space_.missing && can_.missing_gradients && given_ && draws_.Percent(75)) DrawMissing();
    if (space_.bf16_sums && NamesAnOrder(can_)) DrawSums();
    if (space_.loss_scaling && ScalesLosses() && draws_.Percent(85)) DrawLossScaling();
  }

 private:
  int parameters() const { return static_cast<int>(e_.parameters.size()); }
  int64_t MicroBatches() const { return int64_t{e_.world_size} * e_.micro_batches; }

  /// A parameter with state of its own, -1 when there is none.
  int DrawOwner() {
    std::vector<int> owners;
    for (int p = 0; p < parameters(); ++p) {
      if (e_.roles.HasState(p)) owners.push_back(p);
    }
    return owners.empty() ? -1 : draws_.Pick(owners);
  }

  /// Of a model one of its own; else one more, so that enough is left to train.
  void DrawBuffer() {
    int buffer = static_cast<int>(draws_.Between(0, given_ ? parameters() : parameters() - 1));
    if (given_) {
      InsertParameter(e_, buffer, {"buffer", {draws_.Between(1, 7)}, e_.parameters.front().group});
    }
    e_.roles.buffers = {buffer};
  }

  void DrawTied() {
    const int owner = DrawOwner();
    if (owner < 0) return;
    for (int64_t name = draws_.Between(1, 2); name > 0; --name) {
      const int place = static_cast<int>(draws_.Between(owner + 1, parameters()));
      ParameterSpec tied = e_.parameters[static_cast<size_t>(owner)];
      tied.name += fmt::format("_tied{}", name);
      InsertParameter(e_, place, tied);
      e_.roles.tied.push_back({place, owner});
    }
  }

  bool MixesPrecisions() const {
    const bool rounded_by_model = !given_ && e_.precision == Precision::kBf16;
    return can_.mixed_dtypes && can_.param_dtypes.size() > 1 && !rounded_by_model;
  }

  void DrawPrecisions() {
    const Precision other = e_.precision == Precision::kBf16 ? Precision::kFp32 : Precision::kBf16;
    for (int p = 0; p < parameters(); ++p) {
      if (e_.roles.OwnerOf(p) == p && draws_.Percent(50)) e_.roles.precisions.push_back({p, other});
    }
  }

  /// From a step on, to another or to the end.
  void DrawFrozen() {
    for (int64_t spans = draws_.Between(1, 2); spans > 0; --spans) {
      const int owner = DrawOwner();
      if (owner < 0) return;
      const int64_t begin = draws_.Between(0, e_.steps - 1);
      e_.roles.frozen.push_back({owner, begin, draws_.Between(begin + 1, e_.steps)});
    }
  }

  /// Of one parameter in one step: all micro-batches, one rank's, or any but all.
  void DrawMissing() {
    const int parameter = static_cast<int>(draws_.Between(0, parameters() - 1));
    if (e_.roles.IsBuffer(parameter)) return;
    const int64_t step = draws_.Between(0, e_.steps - 1), kind = draws_.Between(1, 10);
    if (kind <= 4 || MicroBatches() == 1) {
      e_.roles.without_gradient.push_back({parameter, step, step + 1});
      return;
    }
    const int64_t present = draws_.Between(0, MicroBatches() - 1), rank = draws_.Between(0, e_.world_size - 1);
    for (int64_t g = 0; g < MicroBatches(); ++g) {
      const bool is_missing = kind <= 6 ? g / e_.micro_batches == rank : g != present && draws_.Percent(60);
      if (is_missing) e_.roles.missing.push_back({parameter, step, g});
    }
  }

  void DrawSums() {
    if (Contains(can_.accumulation_dtypes, Precision::kBf16) && draws_.Percent(50)) e_.accumulation = Precision::kBf16;
    if (Contains(can_.reduce_dtypes, Precision::kBf16) && draws_.Percent(60)) e_.reduction = Precision::kBf16;
  }

  /// A model's backward pass begins with the scale, so only who computes it can scale its loss.
  bool ScalesLosses() const {
    return !can_.loss_scaling.empty() && (given_ || Contains(can_.models, KindOf(*e_.model)));
  }

  void DrawLossScaling() {
    LossScaling& s = e_.loss_scaling;
    s.kind = draws_.Pick(can_.loss_scaling);
    s.scale = std::ldexp(1.0f, static_cast<int>(draws_.Between(1, kLargestScaleExponent)));
    if (s.kind == LossScaleKind::kDynamic) {
      s.growth_factor = draws_.Pick<float>({2.0f, 4.0f});
      s.backoff_factor = draws_.Pick<float>({0.5f, 0.25f});
      s.growth_interval = draws_.Between(1, 3);
      s.hysteresis = draws_.Between(1, 2);
      s.renew_hysteresis = draws_.Percent(50);
      s.minimum = draws_.Pick<float>({1.0f, 2.0f});
    }
    if (given_ && draws_.Percent(70)) PlantOverflow();
  }

  void PlantOverflow() {
    std::vector<int> with_elements;
    for (int p = 0; p < parameters(); ++p) {
      if (!e_.roles.IsBuffer(p) && e_.parameters[static_cast<size_t>(p)].numel() > 0) with_elements.push_back(p);
    }
    if (with_elements.empty()) return;
    for (int64_t values = draws_.Between(1, 2); values > 0; --values) {
      const int p = draws_.Pick(with_elements);
      const int64_t step = draws_.Between(0, e_.steps - 1), g = draws_.Between(0, MicroBatches() - 1),
                    element = draws_.Between(0, e_.parameters[static_cast<size_t>(p)].numel() - 1);
      using enum NonFinite;
      e_.planted.push_back({step, g, p, element, draws_.Pick<NonFinite>({kInfinity, kMinusInfinity, kNan})});
    }
  }

  const CaseSpace& space_;
  const Capabilities& can_;
  Draws& draws_;
  Experiment& e_;
  const bool given_;  // gradients
};

}  // namespace

void DrawSemantics(const CaseSpace& space, const Capabilities& capabilities, Draws& draws, Experiment& experiment) {
  SemanticsDrawer(space, capabilities, draws, experiment).Draw();
}

void DrawMesh(const CaseSpace& space, const Capabilities& can, Draws& draws, Case& c) {
  if (space.mesh && can.replicas && c.stage > 0 && c.world_size() > 1 && draws.Percent(70)) {
    c.replicas = draws.Pick(ReplicaCounts(c.world_size()));
  }
  // One who always reduces after every micro-batch has no other cases; where nothing is declared it is "last".
  if (!can.gradient_sync.empty() && !Contains(can.gradient_sync, GradientSync::kLast))
    c.gradient_sync = can.gradient_sync.front();
  if (space.sync_each && !can.gradient_sync.empty()) c.gradient_sync = draws.Pick(can.gradient_sync);
  if (space.overlap && can.overlap) c.overlap = draws.Pick<Overlap>({Overlap::kAny, Overlap::kOff, Overlap::kOn});
  if (space.offload && !can.offload.empty() && c.stage > 0) c.offload = draws.Pick(can.offload);
}

}  // namespace zerocts
