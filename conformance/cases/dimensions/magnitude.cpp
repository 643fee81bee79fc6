// How large the numbers are: subnormal, tiny, huge.
#include "conformance/cases/draw/magnitude.hpp"

#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/draw/draw_magnitude.hpp"

namespace zerocts {
namespace {

bool DrawSizeOfNumbers(Drawing& drawing) {
  DrawMagnitude(drawing.space, drawing.can, drawing.draws, drawing.c);
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
  return {.name = "magnitude",
          .values = ValuesOf({{"plain"}, {"subnormal"}, {"huge"}}, KindOfNumbers),
          .features = {{"subnormal",
                        "some initial values, gradients, second moments, learning rates or weight decays are subnormal",
                        [](const Case& c) { return HasSubnormals(c.experiment); }},
                       {"huge", "some of them are near the largest numbers",
                        [](const Case& c) { return HasHugeValues(c.experiment); }}},
          .draw = DrawSizeOfNumbers,
          .simplifications = {{Simplicity::kMagnitude, PlainNumbers}}};
}

}  // namespace zerocts
