#include "conformance/check/order/order_probe.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>
#include <stdexcept>

#include "conformance/check/finding/sentences.hpp"
#include "conformance/check/observation/records.hpp"
#include "conformance/check/observation/tiling.hpp"
#include "conformance/check/order/candidate_folds.hpp"
#include "reference/experiment/data.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kSeeds = 4096;  // candidates that none of them tells apart are taken for one
constexpr size_t kMostNamed = 6;   // of the expected values, in a sentence

/// Candidates by what they gave so far: those with equal bits are of one class.
class Classes {
 public:
  explicit Classes(size_t candidates) : class_of_(candidates) {}

  size_t count() const { return std::set(class_of_.begin(), class_of_.end()).size(); }

  Classes RefinedBy(const std::vector<uint32_t>& bits) const {
    std::map<std::pair<size_t, uint32_t>, size_t> numbers;
    Classes refined(class_of_.size());
    for (size_t i = 0; i < bits.size(); ++i) {
      refined.class_of_[i] = numbers.emplace(std::pair(class_of_[i], bits[i]), numbers.size()).first->second;
    }
    return refined;
  }

 private:
  std::vector<size_t> class_of_;
};

size_t CountOf(const std::vector<Classes>& of_addends) {
  return std::accumulate(of_addends.begin(), of_addends.end(), size_t{0},
                         [](size_t sum, const Classes& c) { return sum + c.count(); });
}

/// The same arrangement on probe data; only the mean before clipping is of interest. Through the checkpoint too: a
/// fresh engine may add in another order than one that has trained for some steps.
Case ProbeCase(const Case& c, uint64_t seed) {
  Case probe = c;
  probe.experiment.gradients = GradientSource::kOrderProbe;
  probe.experiment.gradient_exponent = 0;
  probe.experiment.curvature = 0;
  probe.experiment.planted.clear();
  probe.experiment.seed = seed;
  probe.observe_gradient = true;
  probe.observe_parameters = probe.read_before_step = probe.observe_states = probe.observe_last_step_only = false;
  probe.observe_memory = probe.observe_memory_estimate = probe.observe_traffic = probe.observe_timeline = false;
  return probe;
}

/// What the owners of one parameter showed of its mean in one step.
class ShownMean {
 public:
  ShownMean(const ParameterSpec& parameter, int64_t step, size_t runs)
      : parameter_(parameter),
        step_(step),
        bits_(static_cast<size_t>(parameter.numel()), std::vector<uint32_t>(runs)),
        rank_(bits_.size()) {}

  std::optional<Finding> AddRun(size_t run, int p, const std::vector<RankObservation>& ranks) {
    std::ranges::fill(rank_, -1);
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        if (record.what != "gradient" || record.step != step_ || record.parameter != p) continue;
        if (auto finding = AddRecord(run, rank.rank, record)) return finding;
      }
    }
    const auto hidden = std::ranges::find(rank_, -1);
    if (hidden == rank_.end()) return std::nullopt;
    return At(static_cast<size_t>(hidden - rank_.begin()), "expected its owner to show it, nobody did");
  }

  /// [numel], each by run.
  const std::vector<std::vector<uint32_t>>& bits() const { return bits_; }

  std::optional<Finding> At(size_t element, const std::string& what) const {
    return Found(fmt::format("in step {}, the mean of probe data in element {} of {}: {}", step_, element,
                             parameter_.name, what));
  }

 private:
  std::optional<Finding> AddRecord(size_t run, int rank, const TensorRecord& record) {
    for (size_t i = 0; i < record.values.size(); ++i) {
      const size_t element = static_cast<size_t>(record.interval.begin) + i;
      const uint32_t bits = CanonicalBits(record.values[i]);
      if (rank_[element] >= 0 && bits_[element][run] != bits) {
        return At(element, fmt::format("rank {} shows {}, rank {} shows {}: expected the same bits", rank_[element],
                                       FromBits(bits_[element][run]), rank, record.values[i]));
      }
      rank_[element] = rank;
      bits_[element][run] = bits;
    }
    return std::nullopt;
  }

  const ParameterSpec& parameter_;
  const int64_t step_;
  std::vector<std::vector<uint32_t>> bits_;
  std::vector<int> rank_;  // who showed the element in this run
};

std::string AsNumbers(const std::vector<uint32_t>& bits) {
  return fmt::format("{}", fmt::join(bits | std::views::transform(FromBits), " then "));
}

/// Neighbours that are added alike are one range.
void Append(ReductionOrder& order, int64_t begin, int64_t end, const Fold& fold) {
  if (begin == end) return;
  if (!order.ranges.empty() && order.ranges.back().fold == fold) {
    order.ranges.back().end = end;
  } else {
    order.ranges.push_back({begin, end, fold});
  }
}

}  // namespace

OrderProbe::OrderProbe(const Case& c) : c_(c), candidates_(CandidateFolds(ShapeOf(c))) {
  if (const std::string problem = Problem(c); !problem.empty()) throw std::invalid_argument(problem);
  const Experiment& e = c.experiment;
  for (int64_t step = 0; step < e.steps; ++step) {
    for (int p = 0; p < std::ssize(e.parameters); ++p) {
      if (IsUpdated(e, p, step)) candidate_of_[AddendsOf(step, p)];
    }
  }
  for (const uint64_t seed : TellingSeeds()) runs_.push_back(ProbeCase(c, seed));
  TabulateMeans();
}

OrderProbe::Addends OrderProbe::AddendsOf(int64_t step, int parameter) const {
  const Experiment& e = c_.experiment;
  Addends addends{PrecisionOf(e, parameter), std::vector<int>(static_cast<size_t>(c_.world_size() * e.micro_batches))};
  for (int name = 0; name < std::ssize(e.parameters); ++name) {
    if (e.roles.OwnerOf(name) != parameter) continue;
    for (size_t g = 0; g < addends.names.size(); ++g) {
      addends.names[g] += GivesGradient(e, name, step, static_cast<int64_t>(g));
    }
  }
  return addends;
}

OrderProbe::Bits OrderProbe::MeansOf(const Addends& addends, uint64_t seed) const {
  std::vector<float> leaves;
  for (const int names : addends.names) {
    const float value = OrderProbeValue(seed, std::ssize(leaves), addends.precision);
    leaves.push_back(names == 0 ? 0.0f : static_cast<float>(names) * value);  // of two names exact
  }
  Bits means;
  for (const Fold& fold : candidates_) {
    means.push_back(CanonicalBits(Evaluate(fold, leaves) / DivisorOfMean(fold, std::ssize(leaves))));
  }
  return means;
}

/// A few that tell all candidates apart that any seed does, whatever is added: the best one first.
std::vector<uint64_t> OrderProbe::TellingSeeds() const {
  std::vector<std::vector<Bits>> means;  // [addends][seed]
  std::vector<Classes> told, all;        // [addends]
  for (const auto& [addends, candidate] : candidate_of_) {
    told.emplace_back(candidates_.size());
    all.emplace_back(candidates_.size());
    std::vector<Bits>& of_seed = means.emplace_back();
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      of_seed.push_back(MeansOf(addends, seed));
      all.back() = all.back().RefinedBy(of_seed.back());
    }
  }
  const auto told_with = [&](uint64_t seed) {
    std::vector<Classes> more;
    for (size_t i = 0; i < told.size(); ++i) more.push_back(told[i].RefinedBy(means[i][seed]));
    return more;
  };
  std::vector<uint64_t> seeds;
  while (CountOf(told) < CountOf(all)) {
    seeds.push_back(std::ranges::max(std::views::iota(uint64_t{0}, kSeeds), {},
                                     [&](uint64_t seed) { return CountOf(told_with(seed)); }));
    told = told_with(seeds.back());
  }
  return seeds;
}

/// The first of the candidates that nothing tells apart stands for all of them.
void OrderProbe::TabulateMeans() {
  for (auto& [addends, candidate_of] : candidate_of_) {
    std::vector<Bits> means(candidates_.size());
    for (const Case& run : runs_) {
      const Bits of_run = MeansOf(addends, run.experiment.seed);
      for (size_t i = 0; i < means.size(); ++i) means[i].push_back(of_run[i]);
    }
    for (size_t i = 0; i < means.size(); ++i) candidate_of.emplace(means[i], i);
  }
}

OrderProbe::Revealed OrderProbe::Reveal(const Shown& shown) const {
  for (size_t run = 0; run < runs_.size(); ++run) {
    if (auto finding = CheckWellFormed(runs_[run], shown[run])) return {{}, finding};
    if (auto finding = CheckTiling(runs_[run], shown[run])) return {{}, finding};
  }
  Revealed revealed;
  for (int64_t step = 0; step < c_.experiment.steps && !revealed.finding; ++step) {
    revealed.finding = RevealStep(step, shown, revealed.order_of_step.emplace_back());
  }
  return revealed;
}

std::optional<Finding> OrderProbe::RevealStep(int64_t step, const Shown& shown, ReductionOrder& order) const {
  const Experiment& e = c_.experiment;
  const std::vector<int64_t> offsets = FlatOffsets(e);
  order.sync = c_.gradient_sync;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    if (!IsUpdated(e, static_cast<int>(p), step)) {
      Append(order, offsets[p], offsets[p + 1], candidates_.front());  // nobody asks for its mean
    } else if (auto finding = RevealParameter(step, static_cast<int>(p), shown, order)) {
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> OrderProbe::RevealParameter(int64_t step, int p, const Shown& shown,
                                                   ReductionOrder& order) const {
  ShownMean mean(c_.experiment.parameters[static_cast<size_t>(p)], step, runs_.size());
  for (size_t run = 0; run < runs_.size(); ++run) {
    if (auto finding = mean.AddRun(run, p, shown[run])) return finding;
  }
  const std::map<Bits, size_t>& candidate_of = candidate_of_.at(AddendsOf(step, p));
  int64_t element = FlatOffsets(c_.experiment)[static_cast<size_t>(p)];
  for (size_t i = 0; i < mean.bits().size(); ++i, ++element) {
    const auto found = candidate_of.find(mean.bits()[i]);
    if (found == candidate_of.end()) return mean.At(i, NoCandidate(mean.bits()[i], candidate_of));
    Append(order, element, element + 1, candidates_[found->second]);
  }
  return std::nullopt;
}

std::string OrderProbe::NoCandidate(const Bits& shown, const std::map<Bits, size_t>& candidate_of) const {
  std::vector<std::string> expected;
  for (const auto& [bits, candidate] : candidate_of | std::views::take(kMostNamed)) {
    expected.push_back(fmt::format("{} by {}", AsNumbers(bits), ToString(candidates_[candidate])));
  }
  const size_t others = candidate_of.size() - expected.size();
  return fmt::format("{}, which no order of adding {} ranks gives: expected one of {}{}", AsNumbers(shown),
                     c_.world_size(), fmt::join(expected, ", "),
                     others > 0 ? fmt::format(" and {} others", others) : "");
}

}  // namespace zerocts
