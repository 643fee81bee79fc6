#include "conformance/check/cause/causes_of_norm.hpp"

#include <fmt/format.h>

#include <span>

#include "conformance/cases/capabilities/choices.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kUlpsOfANorm = 4;
constexpr int64_t kMostCounted = 512;  // elements
using Pieces = std::vector<std::span<const float>>;

class Norms {
 public:
  Norms(const Experiment& e, const StepTrace& right, float got) : e_(e), gradient_(right.gradient), got_(got) {}

  void TryShards(const std::vector<RankObservation>& ranks) {
    for (const RankObservation& rank : ranks) {
      Pieces shard;
      for (size_t p = 0; p < rank.owned.size() && p < gradient_.size(); ++p) {
        for (const Interval& i : rank.owned[p]) {
          if (static_cast<size_t>(i.end) <= gradient_[p].size())
            shard.push_back(std::span(gradient_[p]).subspan(i.begin, i.end - i.begin));
        }
      }
      if (ranks.size() > 1) Try("a rank took the norm of its own shard", shard);
    }
  }

  void TryTensors() {
    const size_t count = gradient_.size();
    for (size_t p = 0; p < count && count > 1; ++p) {
      const std::string which = p + 1 == count ? "the last tensor" : p == 0 ? "the first tensor" : "a tensor";
      Pieces without = Whole(), twice = Whole();
      without.erase(without.begin() + p);
      twice.push_back(gradient_[p]);
      Try("the norm left out " + which, without);
      Try("the norm counted " + which + " twice", twice);
    }
  }

  void TryElements() {
    for (const std::vector<float>& tensor : gradient_) {
      for (size_t i = 0; i < tensor.size(); ++i) {
        Pieces more = Whole();
        for (int times = 1; times < e_.world_size; ++times) {
          more.push_back(std::span(tensor).subspan(i, 1));
          Try("the norm counted padding, or an element twice", more);
        }
      }
    }
  }

  std::vector<std::string> Take() { return std::move(causes_); }

 private:
  Pieces Whole() const { return {gradient_.begin(), gradient_.end()}; }

  void Try(const std::string& text, const Pieces& pieces) {
    GradientNorm norm(e_.clip_norm);
    for (const std::span<const float> piece : pieces) norm.Add(HostOps(), piece.data(), std::ssize(piece));
    if (UlpDistance(norm.Norm(), got_) <= kUlpsOfANorm && !Contains(causes_, text)) causes_.push_back(text);
  }

  const Experiment& e_;
  const std::vector<std::vector<float>>& gradient_;
  const float got_;
  std::vector<std::string> causes_;
};

}  // namespace

std::vector<std::string> CausesOfNorm(const Experiment& experiment, const StepTrace& right,
                                      const std::vector<RankObservation>& ranks, float got) {
  if (TotalNumel(experiment) > kMostCounted) return {};
  Norms norms(experiment, right, got);
  norms.TryShards(ranks);
  norms.TryTensors();
  norms.TryElements();
  return norms.Take();
}

}  // namespace zerocts
