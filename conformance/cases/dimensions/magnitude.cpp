// How large the numbers are. Most cases are plain, so that nothing else is hidden; the others have subnormal, tiny or
// huge initial values, gradients, moments, learning rates or weight decays, so that arithmetic that flushes subnormals
// to zero, or overflows early, shows in bits.
#include "conformance/cases/draws/magnitude.hpp"

#include <bit>
#include <cmath>

#include "conformance/cases/dimensions/declarations.hpp"
#include "reference/experiment/value_exponents.hpp"

namespace zerocts {
namespace {

constexpr int kGrowth = 16;            // two to this power is more than what many steps make of a value
constexpr int kExactRates = 4;         // rates of simple SGD are 2^-4 and more: products with them stay exact
constexpr int kNames = 2;              // .. and than how many names one parameter has
constexpr int kUniformExponents = 12;  // random gradients go down to 2^-12

/// Changes exponents and hyper-parameters of a case whose data, optimizer, scaling and order are drawn. Nothing that
/// the reference computes from it overflows. Cases that are not compared with the reference's bits stay plain. Where
/// norms are added in an order of the subject's own, squares stay finite too: it may look at them unasked.
class MagnitudeDrawer {
 public:
  explicit MagnitudeDrawer(Drawing& drawing)
      : space_(drawing.space),
        can_(drawing.can),
        draws_(drawing.draws),
        c_(drawing.c),
        e_(drawing.e),
        adaptive_(HasSecondMoments(e_.optimizer)) {}

  void Draw() {
    if (space_.bounded() || space_.parity() || !draws_.Percent(33)) return;
    if (e_.model) return DrawTinyWeights();
    (this->*draws_.Pick(Choices()))();
  }

 private:
  using Choice = void (MagnitudeDrawer::*)();

  std::vector<Choice> Choices() const {
    std::vector<Choice> choices;
    const auto add = [&](bool fits, int times, Choice choice) {
      choices.insert(choices.end(), fits ? times : 0, choice);
    };
    add(true, 3, &MagnitudeDrawer::DrawHuge);
    add(AddsSubnormalsAlike(), 5, &MagnitudeDrawer::DrawSubnormal);
    add(e_.optimizer != OptimizerKind::kLamb, 2, &MagnitudeDrawer::DrawSubnormalRate);
    add(adaptive_, 2, &MagnitudeDrawer::DrawSubnormalSquares);
    add(e_.optimizer == OptimizerKind::kSgd && Decays() && c_.reduction_order != "probed", 1,
        &MagnitudeDrawer::DrawSubnormalDecay);
    return choices;
  }

  /// A division by a power of two is exact wherever it is made, but for results that are subnormal: there inexact sums
  /// are defined only where the order is declared, and no loss scale is divided out.
  bool AddsSubnormalsAlike() const {
    return IsExact(e_) || (c_.reduction_order != "probed" && e_.loss_scaling.kind == LossScaleKind::kNone);
  }

  bool Decays() const {
    return std::ranges::any_of(e_.groups, [](const HyperParameters& group) { return group.weight_decay > 0; });
  }

  void Between(int& exponent, int smallest, int largest) {
    exponent = static_cast<int>(draws_.Between(smallest, largest));
  }

  /// The whole case: initial values, gradients, and sums of them.
  void DrawSubnormal() {
    if (IsExact(e_.gradients)) {
      const bool bf16 = NarrowestPrecision(e_) == Precision::kBf16;
      const int smallest = bf16 ? kSmallestExponentBf16 : kSmallestExponent + kExactRates;
      Between(e_.gradient_exponent, smallest, smallest + (bf16 ? 2 : 6));
    } else {
      Between(e_.gradient_exponent, kSmallestNormalExponent - kUniformExponents / 2, kSmallestNormalExponent);
    }
    e_.initial_exponent = e_.gradient_exponent;
  }

  /// Learning rates, and initial values for which they are large enough.
  void DrawSubnormalRate() {
    Between(e_.initial_exponent, kSmallestNormalExponent - 5, kSmallestNormalExponent);
    ForEachHyperParameters(e_, [&](HyperParameters& h) { h.lr = std::ldexp(h.lr, e_.initial_exponent); });
  }

  /// Second moments.
  void DrawSubnormalSquares() {
    const int plain = IsExact(e_.gradients) ? -10 : 0;  // codes are numbers of some hundreds
    Between(e_.gradient_exponent, kSmallestNormalExponent / 2 + plain - 3, kSmallestNormalExponent / 2 + plain + 2);
    e_.initial_exponent = e_.gradient_exponent + 27;  // the update is a gradient divided by an epsilon of 1e-8
  }

  /// Weight decays, with initial values for which they are large enough, and huge learning rates.
  void DrawSubnormalDecay() {
    constexpr int kDecay = -130, kRate = 118;
    Between(e_.initial_exponent, 60, 100);
    e_.gradient_exponent = e_.initial_exponent + kDecay;
    ForEachHyperParameters(e_, [](HyperParameters& h) {
      h.weight_decay = std::ldexp(h.weight_decay, kDecay);
      h.lr = std::ldexp(h.lr, kRate);
    });
  }

  /// Just below what overflows: sums of scaled gradients, what steps make of them; where they clip, the sum of all
  /// magnitudes; where they are squared, squares.
  void DrawHuge() {
    const int sum = SumExponent(e_) + kNames + LargestScaleExponent(), steps = MeanExponent(e_) + kGrowth;
    const int norm =
        space_.varies("clipping") ? SumExponent(e_) + std::bit_width(static_cast<uint64_t>(TotalNumel(e_))) : 0;
    int largest = 127 - std::max({sum, steps, norm});
    const bool squared = adaptive_ || can_.inexact_norm;
    const int numel = std::bit_width(static_cast<uint64_t>(TotalNumel(e_)));
    if (squared) largest = std::min(largest, 127 / 2 - MeanExponent(e_) - (can_.inexact_norm ? numel : 0));
    Between(e_.gradient_exponent, largest - 6, largest);
    if (!adaptive_) e_.initial_exponent = e_.gradient_exponent;
  }

  int LargestScaleExponent() const {
    const LossScaling& s = e_.loss_scaling;
    if (s.kind == LossScaleKind::kNone) return 0;
    const auto growths = s.kind == LossScaleKind::kDynamic ? e_.steps / s.growth_interval : 0;
    return std::ilogb(s.scale) + static_cast<int>(growths) * std::ilogb(s.growth_factor);
  }

  /// Weights whose products are subnormal, so activations and gradients of weights are.
  void DrawTinyWeights() {
    if (e_.loss_scaling.kind != LossScaleKind::kNone) return;
    Between(e_.initial_exponent, kSmallestNormalExponent / 2 - 9, kSmallestNormalExponent / 2 - 1);
    ForEachHyperParameters(e_, [](HyperParameters& h) { h.weight_decay = 0; });  // it would be more than such gradients
  }

  const CaseSpace& space_;
  const Capabilities& can_;
  Draws& draws_;
  Case& c_;
  Experiment& e_;
  const bool adaptive_;
};

bool DrawSizeOfNumbers(Drawing& drawing) {
  MagnitudeDrawer(drawing).Draw();
  return true;
}

void PlainExponents(Experiment& e) { e.gradient_exponent = e.initial_exponent = 0; }

void PlainRates(Experiment& e) {
  constexpr float kLargest = 0x1p32f, kSmallest = 0x1p-32f;
  ForEachHyperParameters(e, [&](HyperParameters& h) {
    if (h.lr > 0 && (h.lr < kSmallest || h.lr > kLargest)) h.lr = 0x1p-6f;
    if (h.weight_decay > 0 && h.weight_decay < kSmallest) h.weight_decay = 0.125f;
  });
}

/// Numbers that are neither subnormal nor tiny nor huge.
void PlainNumbers(Simplifying& simpler) {
  simpler.Try([&](Case&, Experiment& e) {
    PlainExponents(e);
    PlainRates(e);
  });
  simpler.Try([](Case&, Experiment& e) { PlainExponents(e); });
  simpler.Try([](Case&, Experiment& e) { PlainRates(e); });
  simpler.Try([](Case&, Experiment& e) { e.gradient_exponent = 0; });
  simpler.Try([](Case&, Experiment& e) { e.initial_exponent = 0; });
}

std::string KindOfNumbers(const Case& c) {
  return HasSubnormals(c.experiment) ? "subnormal" : HasHugeValues(c.experiment) ? "huge" : "plain";
}

}  // namespace

Dimension MagnitudeDimension() {
  return {
      .name = "magnitude",
      .values = ValuesOf({{"plain"}, {"subnormal"}, {"huge"}}, KindOfNumbers),
      .form = {.features =
                   {{"subnormal",
                     "some initial values, gradients, second moments, learning rates or weight decays are subnormal",
                     [](const Case& c) { return HasSubnormals(c.experiment); }},
                    {"huge", "some of them are near the largest numbers",
                     [](const Case& c) { return HasHugeValues(c.experiment); }}}},
      .drawn = {.draw = DrawSizeOfNumbers, .simplifications = {{Simplicity::kMagnitude, PlainNumbers}}}};
}

}  // namespace zerocts
