// Verdict of one case: pass, or the first thing that is wrong.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case.hpp"
#include "conformance/cases/observation.hpp"
#include "conformance/check/expected.hpp"

namespace zerocts {

/// The first element that differs, in program order: step, phase, rank, tensor, element.
struct Divergence {
  int64_t step = 0;
  Phase phase = Phase::kLoad;
  int rank = 0;
  std::string tensor;   // "exp_avg of w1", "grad_norm"
  int64_t element = 0;  // in the parameter; the shard's interval is in `interval`
  Interval interval;
  float expected = 0, got = 0;
  uint64_t ulp = 0;
  int64_t differing = 0, compared = 0;  // in that tensor piece
  std::string note;                     // "2 x expected: counted twice?", "expected of element 17: shifted by 1"
};
std::string ToString(const Divergence& d);  // several lines, with bits in hex

struct Finding {
  std::string sentence;                  // what is wrong, one sentence
  std::optional<Divergence> divergence;  // where
};

/// Ownership alone, without knowing the layout: over all ranks every element of every parameter is owned exactly once
/// (stage >= 1), by every rank (stage 0).
std::optional<Finding> CheckTiling(const Case& c, const std::vector<RankObservation>& ranks);

/// What to compare with the reference.
struct CompareOptions {
  bool parameters = true, states = true, gradient = true, norm = true, losses = true;
};
/// First divergence from the reference over all ranks in program order; reading variants (before_step, again) included.
std::optional<Finding> CompareWithReference(const Case& c, const std::vector<RankObservation>& ranks,
                                            const Expected& expected, const CompareOptions& options = {});

/// After each step: the same parameter bits, norm and coefficient on every rank, and equal to the owner's master cast
/// to the parameter dtype.
std::optional<Finding> CheckAgreement(const Case& c, const std::vector<RankObservation>& ranks);

/// Two runs of which only the layout or the poison differs: equal bits of parameters, states (put together over ranks),
/// norms.
std::optional<Finding> CompareRuns(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b,
                                   const std::vector<RankObservation>& ranks_b, const std::string& what_differs);

/// Optimizer bytes per rank against ceil(total / W) * bytes per element + slack; reported against counted by the host
/// and seen from outside.
std::optional<Finding> CheckMemory(const Case& c, const std::vector<RankObservation>& ranks, int64_t slack_bytes);

}  // namespace zerocts
