// What can be said of an optimizer's formula that has no words: parameters move, against their gradients, as far as the
// learning rate says (plain_update.hpp), and by no more than its kind allows.
//
//   SGD           lr * (1 + momentum) * r, where r of a step is momentum * r of the step before + |g| + decay * |p|
//   AdamW, Adam   lr * (b + decay * |p|). b is the most that m / (sqrt(v) + eps) can be after so many updates, by
//                 Cauchy and Schwarz, with or without the corrections of the bias
//   LAMB          the norm of p in place of 1, where it is larger: lr * max(|p|, b + decay * |p|)
//   Muon          lr * (1.3 s + decay * |p|): no element of a matrix is larger than its largest singular value, which
//                 Newton and Schulz leave below 1.3, and s is the larger of the scales in use for its shape. Its first
//                 update of a matrix goes against the gradient, as the sum over all elements
//
// |g| is the mean of the magnitudes, so no order of additions, no clipping and no dampening makes more of it. All is
// doubled for what is rounded, and for where a formula puts its decay.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// The first parameter that its first update, with a learning rate and a mean gradient that are not small, leaves as it
/// was, or the first element that moves too far, not far enough or with its gradient. Judges given gradients, without
/// planted values; of others nothing.
std::optional<Finding> CheckOwnFormula(const Case& c, const std::vector<RankObservation>& ranks);

/// `b` after `updates` of them, with constant betas.
double AdamReach(double beta1, double beta2, int64_t updates);

}  // namespace zerocts
