#include "conformance/cases/dimensions/hyper_parameter_draws.hpp"

#include <cmath>

#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {
namespace {

float PowerOfTwo(int64_t exponent) { return std::ldexp(1.0f, static_cast<int>(exponent)); }

/// Then epsilon is as large as gradients, as otherwise their scale would cancel.
bool StandsInForSgd(const Drawing& drawing) {
  return drawing.space.plain_update || !Contains(drawing.space.optimizers, drawing.e.optimizer);
}

}  // namespace

HyperParameters DrawHyperParameters(Drawing& drawing) {
  Draws& draws = drawing.draws;
  HyperParameters h;
  const bool is_plain = drawing.space.plain_update, is_sgd = drawing.e.optimizer == OptimizerKind::kSgd;
  if (is_plain) {
    h.lr = PowerOfTwo(-draws.Between(0, 4));
    if (is_sgd) return h;
  } else {
    h.lr = static_cast<float>(2 * draws.Between(0, 3) + 1) * PowerOfTwo(-draws.Between(4, 9));
    if (draws.Percent(60)) h.weight_decay = draws.Pick<float>({0.125f, 0.1f, 0.01f});
  }
  if (is_sgd) {
    const bool variants = drawing.space.varies("momentum") && drawing.can.sgd_variants;
    if (draws.Percent(65)) h.momentum = draws.Pick<float>({0.5f, 0.875f, 0.9f});
    if (variants && h.momentum > 0) {
      h.nesterov = draws.Percent(40);
      if (!h.nesterov && draws.Percent(60)) h.dampening = draws.Pick<float>({0.25f, 0.1f});
    }
  } else if (drawing.e.optimizer == OptimizerKind::kMuon) {
    h.momentum = draws.Pick<float>({0, 0.5f, 0.9f, 0.95f});
    h.nesterov = h.momentum > 0 && draws.Percent(60);
    h.eps = draws.Pick<float>({1e-7f, PowerOfTwo(-20)});
  } else {
    h.beta1 = draws.Pick<float>({0.5f, 0.875f, 0.9f});
    h.beta2 = draws.Pick<float>({0.875f, 0.99f, 0.999f});
    h.eps = StandsInForSgd(drawing) ? std::ldexp(draws.Pick<float>({0x1p-4f, 1, 0x1p4f}), drawing.e.gradient_exponent)
                                    : draws.Pick<float>({1e-8f, PowerOfTwo(-20)});
  }
  return h;
}

}  // namespace zerocts
