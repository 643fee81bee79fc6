// The optimizer's update, in the bits of its formula.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "conformance/watch/live_clause.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts::watch {
namespace {

/// What an element is after the step.
struct Stepped {
  float parameter;
  std::array<float, 2> moments;
};

AdamScalars AdamScalarsOf(const UpdateRecord::Group& g) {
  return {.step_size = static_cast<float>(g.lr / g.corrections[0]),
          .beta1 = static_cast<float>(g.betas[0]),
          .beta2 = static_cast<float>(g.betas[1]),
          .one_minus_beta1 = static_cast<float>(1 - g.betas[0]),
          .one_minus_beta2 = static_cast<float>(1 - g.betas[1]),
          .eps = static_cast<float>(g.eps),
          .weight_decay = static_cast<float>(g.weight_decay),
          .correction1 = static_cast<float>(g.corrections[0]),
          .correction2 = static_cast<float>(g.corrections[1]),
          .root_correction2 = static_cast<float>(g.root),
          .shrink = static_cast<float>(1 - g.lr * g.weight_decay),
          .clip = 1.0f};
}

/// By torch's own formula, its products rounded as `products` says: its kernels for AVX2 and AVX-512 fuse them, others
/// do not, and a loop's last elements may be those of others.
Stepped ByFormula(const std::string& formula, const UpdateRecord::Group& g, const UpdateRecord::Part& part, size_t i,
                  ProductRounding products) {
  const OptimizerKind kind = OptimizerKindFromString(formula);
  OptimizerFormula torch = TorchFormula(kind);
  torch.products = products;
  Stepped s{part.parameter[i], {part.moments[0][i], part.moments.size() > 1 ? part.moments[1][i] : 0.0f}};
  if (kind == OptimizerKind::kSgd) {
    const MomentumScalars scalars{.lr = static_cast<float>(g.lr),
                                  .momentum = static_cast<float>(g.momentum),
                                  .weight_decay = static_cast<float>(g.weight_decay),
                                  .gradient_weight = static_cast<float>(1 - g.dampening),
                                  .nesterov = g.nesterov,
                                  .first = part.first,
                                  .clip = 1.0f};
    HostOps().MomentumSgd(torch, scalars, &s.parameter, s.moments.data(), &part.gradient[i], 1);
  } else {
    if (kind == OptimizerKind::kAdam) torch.decay = DecayPosition::kGradient;
    HostOps().Adam(torch, AdamScalarsOf(g), &s.parameter, &s.moments[0], &s.moments[1], &part.gradient[i], 1);
  }
  return s;
}

/// torch's square root may be the second nearest float: so far may the parameter be from that of the nearest one.
float RootBound(const std::string& formula, float before, float after) {
  return formula == "sgd" ? 0.0f : std::abs(after - before) * 0x1p-22f + std::abs(after) * 0x1p-23f;
}

class OptimizerSteps : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const UpdateRecord& r) override {
    for (const UpdateRecord::Part& part : r.parts) {
      const UpdateRecord::Group& g = r.groups[static_cast<size_t>(part.group)];
      for (size_t i = 0; i < part.at.size(); ++i) Judge(r, g, part, i);
    }
  }

  void Take(const ReplayRecord& r) override {
    for (const ReplayRecord::Part& part : r.parts) {
      findings_.Count(part.compared);
      if (part.differs)
        findings_.Add(r.at.step, r.from.rank, part.name,
                      fmt::format("element {}: {} gives {} on a copy of its parameter, gradient and state, got {}",
                                  part.element, r.optimizer_class, part.expected, part.got));
    }
  }

 private:
  void Judge(const UpdateRecord& r, const UpdateRecord::Group& g, const UpdateRecord::Part& part, size_t i) {
    findings_.Count(1);
    Stepped expected{};
    for (const ProductRounding products : {ProductRounding::kRounded, ProductRounding::kFused}) {
      expected = ByFormula(r.formula, g, part, i, products);
      if (IsReached(r.formula, part, i, expected)) return;
    }
    findings_.Add(r.at.step, r.from.rank, part.name,
                  fmt::format("element {}: {} from {} with gradient {} gives {}, got {}{}", part.at[i], r.formula,
                              part.parameter[i], part.gradient[i], expected.parameter, part.new_parameter[i],
                              part.new_parameter[i] == part.parameter[i] ? ": it did not move" : ""));
  }

  static bool IsReached(const std::string& formula, const UpdateRecord::Part& part, size_t i, const Stepped& expected) {
    for (size_t m = 0; m < part.new_moments.size(); ++m) {
      if (CanonicalBits(part.new_moments[m][i]) != CanonicalBits(expected.moments[m])) return false;
    }
    const float got = part.new_parameter[i], bound = RootBound(formula, part.parameter[i], expected.parameter);
    return CanonicalBits(got) == CanonicalBits(expected.parameter) || std::abs(got - expected.parameter) <= bound;
  }
};

const auto optimizer_steps = RegisteredLiveClause::Of<OptimizerSteps>(
    {.id = "C-LIVE-007",
     .name = "update",
     .sentence = "A step makes of parameter, gradient and state what the optimizer's formula makes of them.",
     .fidelity = Fidelity::kBitwise,
     .how = "SGD, Adam and AdamW of torch in fp32: elements are stepped by the formulas of the reference; the moments "
            "must have its bits, the parameter those within one rounding of the square root. Other classes of "
            "torch.optim: "
            "the class steps a copy of the first 1,024 elements, and the bits must be equal; this does not see a wrong "
            "formula.",
     .unseen = "no optimizer of torch.optim made a step without a closure",
     .bugs = {{"A micro-step counter was right in the first window and wrong from the second.",
               "https://github.com/deepspeedai/DeepSpeed/pull/6550"},
              {"A dummy step at construction replaced the step count that had been loaded.",
               "https://github.com/NVIDIA/Megatron-LM/pull/2874"}}});

}  // namespace
}  // namespace zerocts::watch
