// Is what the ranks showed what the reference computes, bit for bit?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// What to compare with the reference.
struct CompareOptions {
  bool parameters = true, states = true, gradient = true, norm = true, losses = true;
  bool scaling = true;  // loss scales and skipped steps

  bool Wants(const TensorRecord& record) const;
};
/// First divergence from the reference over all ranks in program order; reading variants (before_step, again) included.
/// The loss scale comes first of a step's scalars, then the losses; the norm, whether it was skipped, the coefficient
/// (of a step that was not). A step that some ranks skipped and others took is said to be one.
std::optional<Finding> CompareWithReference(const Case& c, const std::vector<RankObservation>& ranks,
                                            const Expected& expected, const CompareOptions& options = {});

/// As above, for the tensors that were reported; expects them to be well formed.
std::optional<Finding> CompareShown(const Case& c, const std::vector<RankObservation>& ranks, const Expected& expected,
                                    const CompareOptions& options);

}  // namespace zerocts
