#include "conformance/check/cost/steady_state.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>

#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

struct Quantity {
  const char* name;
  int64_t Resources::*value;
  FigureSource source;
  const char* of = nullptr;   // what is measured by this and others of the same name
  bool is_of_caches = false;  // it also grows while caches fill, for dozens of steps
  double of_logs = 0;         // so much more per step may be a log, which is cut at thousands of entries
};

constexpr double kLogBytes = 16384;

constexpr Quantity kQuantities[] = {
    {"blocks of the host's alloc", &Resources::blocks, FigureSource::kHost, "objects"},
    {"bytes of the host's alloc", &Resources::block_bytes, FigureSource::kHost, "held bytes"},
    {"objects", &Resources::objects, FigureSource::kHost, "objects", true},
    {"open files", &Resources::files, FigureSource::kKernel, "open files"},
    {"threads", &Resources::threads, FigureSource::kKernel, "threads"},
    {"bytes in use in the heap", &Resources::heap_bytes, FigureSource::kHost, "held bytes", true, kLogBytes},
    {"mapped bytes", &Resources::mapped_bytes, FigureSource::kKernel, "held bytes", true, kLogBytes},
};

constexpr int64_t kTenths = 10;
constexpr int64_t kStepsOfCaches = 100;  // in fewer they may still fill

/// A quantity after each step.
class Series {
 public:
  Series(const RankObservation& rank, int64_t Resources::*value) {
    for (const Resources& row : rank.resources) {
      if (row.*value != Resources::kNotRead && row.call == "step") values_.push_back(row.*value);
    }
    window_ = (last_step() + 1 - FirstSteadyStep(last_step() + 1)) / kTenths;
  }

  bool empty() const { return values_.empty(); }

  bool Grows() const { return RisesFromEnd() >= kTenths - 1; }
  /// Expects that it grows: after this step there is more, and a higher minimum in each tenth.
  int64_t begin_step() const {
    int64_t step = std::ssize(values_) - (RisesFromEnd() + 1) * window_;
    while (At(step + 1) <= At(step)) ++step;
    return step;
  }
  int64_t last_step() const { return std::ssize(values_) - 1; }
  int64_t At(int64_t step) const { return values_[static_cast<size_t>(step)]; }
  double PerStep() const {
    const int64_t begin = begin_step(), last = last_step();
    return static_cast<double>(At(last) - At(begin)) / static_cast<double>(last - begin);
  }

 private:
  /// Counts windows from the end.
  int64_t Minimum(int64_t window) const {
    const auto end = values_.end() - window * window_;
    return *std::min_element(end - window_, end);
  }
  int64_t RisesFromEnd() const {
    int64_t rises = 0;
    while (window_ > 0 && (rises + 2) * window_ <= std::ssize(values_) && Minimum(rises) > Minimum(rises + 1)) ++rises;
    return rises;
  }

  std::vector<int64_t> values_;
  int64_t window_ = 0;  // a tenth of the steady steps
};

/// The call after which there is most more than before it, over the steps from `begin` on.
std::string GrowingCall(const RankObservation& rank, int64_t Resources::*value, int64_t begin) {
  std::map<std::string, int64_t> more;
  for (size_t i = 1; i < rank.resources.size(); ++i) {
    const Resources& row = rank.resources[i];
    if (row.step > begin) more[row.call] += row.*value - rank.resources[i - 1].*value;
  }
  const auto most = std::ranges::max_element(more, {}, [](const auto& call) { return call.second; });
  return most == more.end() ? "step" : most->first;
}

/// " (as large as parameter 2, which has 100 elements of fp32)".
std::string LargeAs(const Case& c, const RankObservation& rank, int64_t bytes) {
  const Experiment& e = c.experiment;
  for (int p = 0; p < std::ssize(e.parameters); ++p) {
    const int64_t numel = e.parameters[static_cast<size_t>(p)].numel();
    int64_t owned = 0;
    if (static_cast<size_t>(p) < rank.owned.size()) {
      for (const Interval& interval : rank.owned[static_cast<size_t>(p)]) owned += interval.end - interval.begin;
    }
    for (const auto& [elements, whose] : {std::pair(numel, "all"), std::pair(owned, "the rank's")}) {
      if (elements > 1 && bytes == 4 * elements)
        return fmt::format(" (as large as {} {} elements of parameter {} in fp32)", whose, elements, p);
    }
  }
  return "";
}

/// "; 10 more of block of optimizer memory, 400 bytes each (as large as ..)".
std::string GrownText(const Case& c, const RankObservation& rank) {
  std::string text;
  for (const Grown& grown : rank.grown | std::views::take(2)) {
    text += fmt::format("; {} more: {}, {} bytes each{}", grown.more, grown.what, grown.bytes,
                        LargeAs(c, rank, grown.bytes));
  }
  return text;
}

std::optional<Finding> CheckQuantity(const Case& c, const RankObservation& rank, const Quantity& quantity) {
  const Series series(rank, quantity.value);
  if (!series.Grows() || series.PerStep() <= quantity.of_logs) return std::nullopt;
  const int64_t begin = series.begin_step(), last = series.last_step();
  const bool shared =
      rank.ranks_in_process > 1 && quantity.value != &Resources::blocks && quantity.value != &Resources::block_bytes;
  return Found(fmt::format(
      "{}: {} grow by {:.4g} per step from step {} on, most in {}: {} after step {}, {} after step {}{}",
      shared ? "the ranks' process" : fmt::format("rank {}", rank.rank), quantity.name, series.PerStep(), begin + 1,
      GrowingCall(rank, quantity.value, begin), series.At(begin), begin, series.At(last), last, GrownText(c, rank)));
}

/// Who counted the quantity on any rank.
bool IsMeasured(const std::vector<RankObservation>& ranks, const Quantity& quantity) {
  return std::ranges::any_of(ranks, [&](const RankObservation& rank) { return !Series(rank, quantity.value).empty(); });
}

}  // namespace

bool ShowsResources(const std::vector<RankObservation>& ranks) {
  return std::ranges::any_of(kQuantities, [&](const Quantity& quantity) { return IsMeasured(ranks, quantity); });
}

std::optional<Finding> CheckCountsAreSteady(const Case& c, const std::vector<RankObservation>& ranks,
                                            Evidence& evidence) {
  std::map<std::string, bool> measured;
  for (const Quantity& quantity : kQuantities) {
    if (quantity.is_of_caches && c.experiment.steps < kStepsOfCaches) continue;
    for (const RankObservation& rank : ranks) {
      if (auto finding = CheckQuantity(c, rank, quantity)) return finding;
    }
    const bool is_measured = IsMeasured(ranks, quantity);
    if (is_measured) evidence.Add(quantity.source);
    measured[quantity.of] |= is_measured;
  }
  for (const auto& [what, is_measured] : measured) {
    if (!is_measured) evidence.AddNotMeasured(what);
  }
  return std::nullopt;
}

}  // namespace zerocts
