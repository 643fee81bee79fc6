// Verdict of one case: pass, or the first thing that is wrong.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/capabilities.hpp"
#include "conformance/cases/case.hpp"
#include "conformance/cases/observation.hpp"
#include "conformance/check/expected.hpp"

namespace zerocts {

/// An element of the tensor, and what it should be.
struct ElementValues {
  int64_t element = 0;
  float expected = 0, got = 0;
};

/// The first element that differs, in program order: step, phase, rank, tensor, element.
struct Divergence {
  int64_t step = 0;
  Phase phase = Phase::kLoad;
  int rank = 0;
  std::string tensor;   // "exp_avg of w1", "grad_norm"
  std::string what;     // "exp_avg", "grad_norm": as in TensorRecord, or of a scalar
  int parameter = 0;    // of a tensor
  int64_t element = 0;  // in the parameter; the shard's interval is in `interval`
  Interval interval;
  float expected = 0, got = 0;
  uint64_t ulp = 0;
  int64_t differing = 0, compared = 0;  // in that tensor piece
  std::vector<ElementValues> around;    // the element and those beside it in the piece; none of a scalar
  bool by_loaders = false;              // of a checkpoint that another number of ranks saved (cases/reshard.hpp)
  std::string note;                     // "2 x expected: counted twice?", "expected of element 17: shifted by 1"
};
std::string ToString(const Divergence& d);  // several lines, with bits in hex

struct Finding {
  std::string sentence;                  // what is wrong, one sentence
  std::optional<Divergence> divergence;  // where
};

/// Ownership alone, without knowing the layout: every element of every parameter is owned exactly once in each sharding
/// group, by the rank at the same place in each (stage >= 1); by every rank (stage 0). Buffers and tied names have no
/// optimizer state, so nobody owns them.
std::optional<Finding> CheckTiling(const Case& c, const std::vector<RankObservation>& ranks);

/// What to compare with the reference.
struct CompareOptions {
  bool parameters = true, states = true, gradient = true, norm = true, losses = true;
  bool scaling = true;  // loss scales and skipped steps
};
/// First divergence from the reference over all ranks in program order; reading variants (before_step, again) included.
/// Of a step's scalars the loss scale comes first, then the losses; the norm, whether it was skipped, the coefficient
/// (of a step that was not). A step that some ranks skipped and others took is said to be one.
std::optional<Finding> CompareWithReference(const Case& c, const std::vector<RankObservation>& ranks,
                                            const Expected& expected, const CompareOptions& options = {});

/// Real training (bounded_training.hpp): every parameter, master weight, gradient and loss within its bound of exact
/// arithmetic. First in program order; the finding says the bound and where it comes from.
std::optional<Finding> CompareWithBound(const Case& c, const std::vector<RankObservation>& ranks);

/// After each step: the same parameter bits, loss scale, skip, norm and coefficient on every rank, and equal to the
/// owner's master cast to the parameter's dtype.
std::optional<Finding> CheckAgreement(const Case& c, const std::vector<RankObservation>& ranks);

/// Two runs of which only the layout or the poison differs: equal bits of parameters, states (put together over ranks),
/// scalars of the steps, losses.
std::optional<Finding> CompareRuns(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b,
                                   const std::vector<RankObservation>& ranks_b, const std::string& what_differs);

/// Self parity: `ranks` ran `c`, `one_rank` the same global batches on one rank of the same subject (OnOneRank): equal
/// bits of parameters, states and scalars as above, and of the losses of each micro-batch.
std::optional<Finding> CompareWithOneRank(const Case& c, const std::vector<RankObservation>& ranks, const Case& alone,
                                          const std::vector<RankObservation>& one_rank);

/// What a subject declares about the share of one rank.
struct ShareLimits {
  int64_t slack_bytes = 0;
  Granularity granularity = Granularity::kElement;
};

/// Optimizer bytes per rank against ceil(total / ranks of a sharding group) * bytes per element + slack, where total
/// counts the elements with optimizer state and whole rows or tensors round up; reported against counted by the host
/// and seen from outside.
std::optional<Finding> CheckMemory(const Case& c, const std::vector<RankObservation>& ranks, const ShareLimits& limits);

}  // namespace zerocts
