// A model trained on a text by a subject's ranks, step by step beside the reference.
#pragma once
#include <functional>
#include <optional>

#include "conformance/check/finding/finding.hpp"
#include "conformance/host/conductor/rank_group.hpp"

namespace zerocts {

/// What the reference is for while ranks train.
enum class Beside {
  kBits,    // every loss, norm and parameter has its bits
  kLosses,  // losses are judged while a bound of theirs is derived: the subject's arithmetic is another
  kAlone,   // it does not run
};
/// What a subject that declares this can be held to, in the case's order of addition.
Beside BesideFor(const Case& c, const Capabilities& can);

struct TrainedStep {
  int64_t step = 0;
  double mean_loss = 0;
  float grad_norm = 0, clip_coefficient = 1;
  double seconds = 0;                    // of the slowest rank
  std::optional<double> reference_loss;  // mean
  double reference_seconds = 0;
  std::optional<double> loss_bound{};  // of the loss that used most of its bound, and how much that was
  double share_of_bound = 0;
};

struct Training {
  std::vector<TrainedStep> steps;
  RunResult result;                // parameters after the last step that was made, unless it is kAlone
  std::optional<Finding> finding;  // the first difference, after which nothing was trained
  std::string beyond_bound{};      // why later losses were not judged
};

/// Runs a case that reports its steps, and stops at the first difference. `tell` is called after each step. Every rank
/// waits while the reference makes its step, so that neither takes the other's time.
Training Train(RankGroup& group, const Case& c, Beside beside, Ops& ops,
               const std::function<void(const TrainedStep&)>& tell);

}  // namespace zerocts
