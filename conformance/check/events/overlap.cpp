#include "conformance/check/events/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/check/events/event_order.hpp"
#include "conformance/check/events/reported_events.hpp"

namespace zerocts {
namespace {

/// Counts the collectives that may run beside a computation, and those that do.
struct Share {
  int64_t may = 0, beside = 0;
  std::string first_alone;  // "the all_gather of bucket 2 in step 0, .."

  bool TooSmall() const { return 2 * beside < may; }
};

class RankOverlap {
 public:
  RankOverlap(const RankObservation& rank, const UnitsOfBuckets& buckets)
      : events_(rank.events), buckets_(buckets), order_(events_), computations_(ComputationsOf(events_)) {}

  Share Reductions() const {
    return ShareOf([this](int64_t i) { return IsReduction(At(i)) && buckets_.FirstUnitOf(At(i).index) > 0; });
  }
  Share Gathers() const {
    return ShareOf([this](int64_t i) { return IsGather(At(i)) && ComesAfterAnother(i); });
  }

 private:
  const RankEvent& At(int64_t i) const { return events_[static_cast<size_t>(i)]; }

  template <typename May>
  Share ShareOf(const May& may) const {
    Share share;
    for (int64_t i = 0; i < std::ssize(events_); ++i) {
      if (At(i).step < 0 || !may(i)) continue;
      ++share.may;
      if (IsBesideAny(i)) {
        ++share.beside;
      } else if (share.first_alone.empty()) {
        share.first_alone = fmt::format("the {} of bucket {} in step {}", At(i).name, At(i).index, At(i).step);
        share.first_alone += ", " + WhyAlone(i);
      }
    }
    return share;
  }

  /// Does the first computation that needs what event `gather` brings have another one before it in its pass?
  bool ComesAfterAnother(int64_t gather) const {
    const RankEvent& event = At(gather);
    for (const Computation& computation : computations_) {
      if (computation.step != event.step || computation.end < gather) continue;
      if (!buckets_.Uses(computation.unit, event.index)) continue;
      return computation.unit != (computation.backward ? buckets_.units() - 1 : 0);
    }
    return false;  // for no computation of this step
  }

  bool IsBesideAny(int64_t i) const {
    return std::ranges::any_of(computations_, [&](const Computation& computation) {
      return computation.step == At(i).step && !order_.IsBefore(i, computation.end) &&
             !order_.IsBefore(computation.begin, i);
    });
  }

  std::string WhyAlone(int64_t i) const {
    if (At(i).queue == EventOrder::kRankThread) return "happens on the rank's own thread";
    for (const Computation& computation : computations_) {
      if (computation.step == At(i).step && computation.begin > i && order_.IsBefore(i, computation.end))
        return "is waited for before the end of " + TextOf(computation);
    }
    return "is asked for after the last computation that it could run beside";
  }

  const std::vector<RankEvent>& events_;
  const UnitsOfBuckets& buckets_;
  const EventOrder order_;
  const std::vector<Computation> computations_;
};

std::string ProblemOf(const Case& c, const RankObservation& rank) {
  const UnitsOfBuckets buckets(c, rank.bucket_of_parameter);
  if (std::string problem = ProblemOfStory(c, rank, buckets); !problem.empty())
    return "tells what cannot be: " + problem;
  const RankOverlap overlap(rank, buckets);
  for (const auto& [name, share] : {std::pair{"reductions", overlap.Reductions()}, {"gathers", overlap.Gathers()}}) {
    if (!share.TooSmall()) continue;
    return fmt::format(
        "asks for {} of {} {} before a computation and waits for them after it, expected half of them at least: {}",
        share.beside, share.may, name, share.first_alone);
  }
  return "";
}

}  // namespace

std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks, Evidence& evidence) {
  evidence.Add(FigureSource::kSubject);
  if (c.world_size() == 1) return std::nullopt;
  for (const RankObservation& rank : ranks) {
    if (const std::string problem = ProblemOf(c, rank); !problem.empty())
      return Finding{fmt::format("rank {} {}", rank.rank, problem), std::nullopt};
  }
  return std::nullopt;
}

}  // namespace zerocts
