// In which order did the ranks add? Revealed by running a case on data that tell.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Reveals the order of a case whose reduction_order is "probed". The same case runs with gradients that are one number
/// per micro-batch, a few seeds of which tell all candidate folds apart: by what an element's mean came out as it is
/// known how it was added. Nothing of the subject's buckets, shards or collectives need be known.
class OrderProbe {
 public:
  /// Throws std::invalid_argument with Problem(c).
  explicit OrderProbe(const Case& c);

  /// What to run. None when every candidate gives the same bits whatever the data.
  const std::vector<Case>& runs() const { return runs_; }

  /// The order of every step, or what is wrong with what was shown.
  struct Revealed {
    std::vector<ReductionOrder> order_of_step;
    std::optional<Finding> finding;
  };
  using Shown = std::vector<std::vector<RankObservation>>;  // [runs][world_size]
  Revealed Reveal(const Shown& shown) const;

 private:
  /// What is added to an element: the gradients of how many names of its parameter by each micro-batch g, in which
  /// precision.
  struct Addends {
    Precision precision = Precision::kFp32;
    std::vector<int> names;  // [W * K]
    auto operator<=>(const Addends&) const = default;
  };
  using Bits = std::vector<uint32_t>;

  Addends AddendsOf(int64_t step, int parameter) const;
  Bits MeansOf(const Addends& addends, uint64_t seed) const;  // [candidates]
  std::vector<uint64_t> TellingSeeds() const;
  void TabulateMeans();
  std::optional<Finding> RevealStep(int64_t step, const Shown& shown, ReductionOrder& order) const;
  std::optional<Finding> RevealParameter(int64_t step, int p, const Shown& shown, ReductionOrder& order) const;
  std::string NoCandidate(const Bits& shown, const std::map<Bits, size_t>& candidate_of) const;

  const Case c_;
  const std::vector<Fold> candidates_;
  std::map<Addends, std::map<Bits, size_t>> candidate_of_;  // by the means in all runs
  std::vector<Case> runs_;
};

}  // namespace zerocts
