#include "conformance/session/run/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/check/bounded/bounded_losses.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/observation/agreement.hpp"
#include "conformance/check/observation/records.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

constexpr CompareOptions kWhatRanksTell{.states = false, .gradient = false};

/// As if it were all that the rank showed: the hashes of its parameters, and the step's numbers.
RankObservation ObservationOf(const SteppedMessage& step, int rank, const Case& c) {
  RankObservation o{.rank = rank};
  o.scalars = {{step.step, step.grad_norm, step.clip_coefficient, step.losses}};
  for (int p = 0; p < std::ssize(step.parameters); ++p) {
    if (!c.RankHas(rank, p)) continue;
    const auto i = static_cast<size_t>(p);
    o.tensors.push_back({.step = step.step,
                         .what = "parameter",
                         .parameter = p,
                         .interval = {0, c.experiment.parameters[i].numel()},
                         .hash = step.parameters[i]});
  }
  return o;
}

std::vector<RankObservation> ObservationsOf(const std::vector<SteppedMessage>& of_ranks, const Case& c) {
  std::vector<RankObservation> observations;
  for (const SteppedMessage& step : of_ranks)
    observations.push_back(ObservationOf(step, static_cast<int>(observations.size()), c));
  return observations;
}

/// Each micro-batch of the data once, in the order of the reference.
std::vector<double> LossesOf(const std::vector<SteppedMessage>& of_ranks, const Case& c) {
  std::vector<double> losses;
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    if (c.tensor_rank_of(static_cast<int>(rank)) > 0) continue;
    losses.insert(losses.end(), of_ranks[rank].losses.begin(), of_ranks[rank].losses.end());
  }
  return losses;
}

TrainedStep StepOf(const std::vector<SteppedMessage>& of_ranks, const Case& c) {
  const SteppedMessage& first = of_ranks.front();
  TrainedStep step{.step = first.step,
                   .mean_loss = StepTrace{.losses = LossesOf(of_ranks, c)}.mean_loss(),
                   .grad_norm = first.grad_norm,
                   .clip_coefficient = first.clip_coefficient};
  for (const SteppedMessage& of_rank : of_ranks)
    step.seconds = std::max(step.seconds, 1e-9 * static_cast<double>(of_rank.nanoseconds));
  return step;
}

/// The reference, one step behind the other.
class Reference {
 public:
  Reference(const Case& c, Ops& ops) : trainer_(c.experiment, OrderOf(c, {}), ops) {
    expected_.initial_parameter = trainer_.parameters();
    expected_.initial_master = trainer_.masters();
  }

  /// Trains one more step. Returns all steps so far; tensors are those of the last one, where they are kept.
  const Expected& Step(Keep keep, TrainedStep& told) {
    if (!expected_.steps.empty()) ForgetTensors(expected_.steps.back());
    const auto begin = std::chrono::steady_clock::now();
    expected_.steps.push_back(trainer_.Step(keep));
    told.reference_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    told.reference_loss = expected_.steps.back().mean_loss();
    return expected_;
  }
  const Expected& expected() const { return expected_; }

 private:
  static void ForgetTensors(StepTrace& trace) {
    trace.gradient = trace.master = trace.moment1 = trace.moment2 = trace.parameter = {};
  }

  Trainer trainer_;
  Expected expected_;
};

/// The first loss that is beyond its bound; `step` is told how much of one was used.
std::optional<Finding> CheckLosses(const std::vector<Bounded>& bounds, const std::vector<double>& losses,
                                   TrainedStep& step) {
  for (size_t g = 0; g < std::min(bounds.size(), losses.size()); ++g) {
    const double share = ShareOfBound(bounds[g], losses[g]);
    if (!step.loss_bound || share > step.share_of_bound) {
      step.loss_bound = bounds[g].error;
      step.share_of_bound = share;
    }
    if (share <= 1) continue;
    return Finding{
        fmt::format("the loss of micro-batch {} of all ranks is beyond the bound of exact arithmetic in step "
                    "{}: exact {:.6f}, bound {:.2g}, got {:.6f}",
                    g, step.step, bounds[g].value, bounds[g].error, losses[g]),
        std::nullopt};
  }
  return std::nullopt;
}

/// The case that ends with the last step that was made.
Case UpTo(const TrainedStep& last, Case c) {
  c.experiment.steps = last.step + 1;
  c.report_steps = false;
  return c;
}

}  // namespace

Beside BesideFor(const Case& c, const Capabilities& can) {
  const bool has_our_bits = AreModelsJudgedBy(Fidelity::kDeclaredOrder, can) &&
                            IsJudgedBy(Fidelity::kDeclaredOrder, c.experiment.optimizer, can);
  return has_our_bits && c.reduction_order != "any" ? Beside::kBits : Beside::kLosses;
}

Training Train(RankGroup& group, const Case& c, Beside beside, Ops& ops,
               const std::function<void(const TrainedStep&)>& tell) {
  Training training;
  std::unique_ptr<Reference> reference;
  std::optional<BoundedLosses> bounds;
  if (beside == Beside::kLosses) bounds.emplace(c.experiment);
  if (beside != Beside::kAlone) reference = std::make_unique<Reference>(c, ops);
  const StepWatcher watcher = [&](const std::vector<SteppedMessage>& of_ranks) {
    TrainedStep& step = training.steps.emplace_back(StepOf(of_ranks, c));
    if (beside == Beside::kLosses) {
      reference->Step(Keep::kScalars, step);
      training.finding = CheckLosses(bounds->Step(), LossesOf(of_ranks, c), step);
      training.beyond_bound = bounds->Beyond();
    }
    if (beside == Beside::kBits) {
      const Expected& expected = reference->Step(Keep::kTensors, step);
      training.finding = CompareShown(c, ObservationsOf(of_ranks, c), expected, kWhatRanksTell);
    }
    tell(step);
    return !training.finding;
  };
  training.result = group.Run(c, "", watcher);
  if (training.result.ending != Ending::kObserved) return training;
  if (training.steps.empty()) {
    training.finding =
        Finding{"the ranks told of no step: expected \"stepped\" after each; use ranks of this release of zerocts",
                std::nullopt};
    return training;
  }
  if (beside == Beside::kAlone) return training;
  const Case made = UpTo(training.steps.back(), c);
  const std::vector<RankObservation>& ranks = training.result.ranks;
  std::optional<Finding> finding = CheckWellFormed(made, ranks);
  if (!finding && beside == Beside::kBits) finding = CompareShown(made, ranks, reference->expected(), kWhatRanksTell);
  if (!finding) finding = CheckAgreement(made, ranks);
  if (finding) training.finding = std::move(finding);  // by values, so its place is known
  return training;
}

}  // namespace zerocts
