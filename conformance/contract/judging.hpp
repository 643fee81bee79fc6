// What the judges of all families share: run a case, ask the reference, name what was compared.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/hyper_parameters.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/compare/runs.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/observation/agreement.hpp"
#include "conformance/check/observation/tiling.hpp"
#include "conformance/contract/judge.hpp"

namespace zerocts {

/// The reference in the order that follows from the observed owners. Expects that the owners tile every parameter, and
/// that no probe is needed.
Expected ReferenceFor(const Case& c, const Observations& ranks);

/// Tiling first, because the declared order may depend on owners; then the first divergence from the reference. An
/// order that is to be probed is revealed by more runs.
std::optional<Finding> AgainstReference(Trial& trial, const Case& c, const Observations& ranks,
                                        const CompareOptions& options = {});

/// Runs the case, and compares it so.
std::optional<Finding> JudgeAgainstReference(Trial& trial, const Case& c);

/// The same for the two runs of a case whose checkpoint others load. Those who save are judged first: what they got
/// wrong says nothing of a load.
std::optional<Finding> JudgeResharded(Trial& trial, const Case& c);

/// The same case in another arrangement, which cannot be seen in its results.
struct Variant {
  std::string what_differs;  // "the bucket size, 7 elements"
  Case c;
};

/// Runs every variant: its bits must be those of `ranks`, which were observed of `c`.
std::optional<Finding> SameBitsIn(Trial& trial, const Case& c, const Observations& ranks,
                                  const std::vector<Variant>& variants);

/// Scales exact gradients by 2^exponent, and with them the clipping threshold and the epsilon of AdamW.
void ScaleGradients(Experiment& experiment, int exponent);

}  // namespace zerocts
