// PyTorch's own bits: its AdamW, Adam and SGD, its clip coefficient and its loss scale, as torch_formula_bits.py had
// them from the real thing (torch_formula_bits.inc), against ours in its formula. 10007 elements, 20 steps each.
// Equal wherever torch's square root is the nearest float; the .py file says where it is not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/numerics/bits.hpp"
#include "reference/optim/formula_names.hpp"
#include "reference/optim/loss_scale.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNumel = 10007;
constexpr int kSteps = 20;

struct TorchOptimizer {
  std::string name, products;
  uint64_t parameter, moment1, moment2;  // FNV-1a over words of 32 bits
};
struct TorchClip {
  float norm, max_norm;
  uint32_t coefficient_bits;
};
struct TorchLossScale {
  std::string overflows;
  std::vector<float> scales;
};

#define TORCH_OPTIMIZER(...) {__VA_ARGS__},
#define TORCH_CLIP(...)
#define TORCH_LOSS_SCALE(...)
const TorchOptimizer kOptimizers[] = {
#include "reference/optim/torch_formula_bits.inc"
};
#undef TORCH_OPTIMIZER
#undef TORCH_CLIP
#define TORCH_OPTIMIZER(...)
#define TORCH_CLIP(...) {__VA_ARGS__},
const TorchClip kClips[] = {
#include "reference/optim/torch_formula_bits.inc"
};
#undef TORCH_CLIP
#undef TORCH_LOSS_SCALE
#define TORCH_CLIP(...)
#define TORCH_LOSS_SCALE(...) \
  { __VA_ARGS__ }
const TorchLossScale kLossScale =
#include "reference/optim/torch_formula_bits.inc"
    ;

/// `values` of the program.
std::vector<float> Values(uint64_t seed) {
  std::vector<float> values;
  for (uint64_t i = 0; i < kNumel; ++i) {
    auto word = static_cast<uint32_t>(i * 2654435761u + seed * 2246822519u);
    word = (word ^ (word >> 15)) * 2246822519u;
    values.push_back(static_cast<float>((word ^ (word >> 13)) >> 8) / 8388608.0f - 1.0f);
  }
  return values;
}

uint64_t Fnv(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const float x : values) hash = (hash ^ Bits(x)) * 0x100000001b3u;
  return hash;
}

struct Case {
  std::string name;
  OptimizerKind kind;
  HyperParameters values;
};

const std::vector<Case>& Cases() {
  using enum OptimizerKind;
  static const std::vector<Case> cases = {
      {"adamw", kAdamW, {.lr = 1e-3f, .weight_decay = 0.01f}},
      {"adamw_no_decay", kAdamW, {.lr = 1e-3f, .beta2 = 0.95f, .eps = 1e-6f}},
      {"adamw_large_decay", kAdamW, {.lr = 0.3f, .weight_decay = 0.1f}},
      {"adamw_small_betas", kAdamW, {.lr = 0.02f, .weight_decay = 0.1f, .beta1 = 0.3f, .beta2 = 0.5f, .eps = 1e-3f}},
      {"adam", kAdam, {.lr = 1e-3f}},
      {"adam_decay", kAdam, {.lr = 1e-3f, .weight_decay = 0.1f, .beta1 = 0.875f, .beta2 = 0.99f}},
      {"sgd", kSgd, {.lr = 0.1f}},
      {"sgd_decay", kSgd, {.lr = 0.1f, .weight_decay = 0.01f}},
      {"sgd_momentum", kSgd, {.lr = 0.1f, .weight_decay = 0.01f, .momentum = 0.9f}},
      {"sgd_dampening", kSgd, {.lr = 0.1f, .momentum = 0.9f, .dampening = 0.3f}},
      {"sgd_nesterov", kSgd, {.lr = 0.1f, .weight_decay = 0.01f, .momentum = 0.9f, .nesterov = true}},
  };
  return cases;
}

struct Trained {
  std::vector<float> p, m = std::vector<float>(kNumel), v = m;
};

Trained Train(const Case& c, const OptimizerFormula& formula) {
  Trained t{Values(1)};
  BetaProducts products;
  for (int step = 0; step < kSteps; ++step) {
    products.Advance(c.values);
    const std::vector<float> gradient = Values(100 + step);
    ApplyStep(HostOps(), {c.kind, formula}, c.values, products, 1.0f, {t.p.data(), t.m.data(), t.v.data()},
              gradient.data(), kNumel);
  }
  return t;
}

TEST(TorchFormula, HasTheBitsOfTorch) {
  ASSERT_EQ(std::size(kOptimizers), 2 * Cases().size());
  size_t index = 0;
  for (const TorchOptimizer& torch : kOptimizers) {
    const Case& c = Cases()[index++ % Cases().size()];
    ASSERT_EQ(torch.name, c.name);
    OptimizerFormula formula = TorchFormula(c.kind);
    formula.products = ProductRoundingFromString(torch.products);
    const Trained ours = Train(c, formula);
    EXPECT_EQ(Fnv(ours.p), torch.parameter) << torch.name << ", " << torch.products;
    EXPECT_EQ(Fnv(ours.m), torch.moment1) << torch.name << ", " << torch.products;
    EXPECT_EQ(Fnv(ours.v), torch.moment2) << torch.name << ", " << torch.products;
  }
}

// If our own formula had torch's bits, the test above would prove nothing about formulas.
TEST(TorchFormula, IsNotOurs) {
  for (const Case& c : Cases()) {
    if (c.kind == OptimizerKind::kSgd && c.values.dampening == 0.0f && c.values.momentum == 0.0f) continue;
    EXPECT_NE(Fnv(Train(c, {}).p), Fnv(Train(c, TorchFormula(c.kind)).p)) << c.name;
  }
}

TEST(TorchClip, HasTheBitsOfTorch) {
  ASSERT_EQ(std::size(kClips), 8u);
  int differ = 0;
  for (const TorchClip& torch : kClips) {
    const auto bits = [&](ClipFormula formula) {
      return Bits(ClipCoefficient(formula, torch.norm, torch.max_norm, 1e-6f));
    };
    EXPECT_EQ(bits(ClipFormula::kTorch), torch.coefficient_bits) << torch.norm << " to " << torch.max_norm;
    differ += bits(ClipFormula::kMin) != torch.coefficient_bits;
  }
  EXPECT_GT(differ, 0);  // one division is not the same as a reciprocal and a product
}

TEST(TorchLossScale, FollowsGradScaler) {
  const LossScaling scaling{.kind = LossScaleKind::kDynamic, .scale = 1024.0f, .growth_interval = 3, .minimum = 0.0f};
  ASSERT_EQ(kLossScale.scales.size(), kLossScale.overflows.size());
  LossScaleState state = InitialLossScale(scaling);
  for (size_t step = 0; step < kLossScale.scales.size(); ++step) {
    state = NextLossScale(scaling, state, kLossScale.overflows[step] == 'x');
    EXPECT_EQ(state.scale, kLossScale.scales[step]) << "after step " << step;
  }
}

}  // namespace
}  // namespace zerocts
