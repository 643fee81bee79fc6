// All ranks step with the same hyper-parameters, the same number of times.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class EqualSettings : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const StepRecord& r) override {
    CompareWithInner(r);
    if (r.from.world < 2) return;
    const auto all = steps_.Join(r.at, r.from.rank, r, static_cast<size_t>(r.from.world));
    if (!all) return;
    const StepRecord& first = all->begin()->second;
    for (const auto& [rank, other] : *all) {
      findings_.Count(1);
      for (size_t group = 0; group < std::min(first.hyper.size(), other.hyper.size()); ++group)
        CompareGroups(other, group, first.hyper[group], other.hyper[group]);
      if (first.hyper.size() != other.hyper.size())
        Compare(other, "parameter groups", first.hyper.size(), other.hyper.size());
      if (!first.counts.empty() && !other.counts.empty() && first.counts != other.counts)
        Compare(other, "step counts", fmt::format("{}", fmt::join(first.counts, ", ")),
                fmt::format("{}", fmt::join(other.counts, ", ")));
    }
  }

  void Take(const LossScaleRecord& r) override {
    if (r.from.world < 2) return;
    const int64_t number = scaled_[r.from.rank]++;
    const auto all = scales_.Join(number, r.from.rank, r, static_cast<size_t>(r.from.world));
    if (!all) return;
    const LossScaleRecord& first = all->begin()->second;
    for (const auto& [rank, other] : *all) {
      findings_.Count(1);
      if (other.scale == first.scale && other.skips == first.skips) continue;
      findings_.Add(other.step, rank, "the loss scale",
                    fmt::format("{}{}, rank {} has {}{}", other.scale, other.skips ? " and skips" : "", first.from.rank,
                                first.scale, first.skips ? " and skips" : ""));
    }
  }

  void Finish(bool in_order) override {
    if (!in_order) return;
    for (const auto& [at, there] : steps_.waiting()) {
      std::vector<int> ranks;
      for (const auto& [rank, record] : there) ranks.push_back(rank);
      findings_.AddNotice(
          at.step, -1, fmt::format("optimizer {}", at.optimizer),
          fmt::format("of {1} ranks only {0} made this step", RanksText(ranks), findings_.run().world()));
    }
  }

 private:
  void CompareGroups(const StepRecord& r, size_t group, const std::vector<std::string>& first,
                     const std::vector<std::string>& other) {
    const auto [there, here] = std::ranges::mismatch(first, other);
    if (there == first.end() && here == other.end()) return;
    Compare(r, fmt::format("the settings of group {}", group), there == first.end() ? "none" : *there,
            here == other.end() ? "none" : *here);
  }

  /// Settings that both have.
  void CompareWithInner(const StepRecord& r) {
    const auto name = [](const std::string& setting) { return setting.substr(0, setting.find(' ')); };
    for (size_t group = 0; group < std::min(r.hyper.size(), r.inner_hyper.size()); ++group) {
      for (const std::string& inner : r.inner_hyper[group]) {
        const auto outer = std::ranges::find(r.hyper[group], name(inner), name);
        if (outer != r.hyper[group].end() && *outer != inner)
          findings_.Add(r.at.step, r.from.rank, fmt::format("optimizer {}", r.at.optimizer),
                        fmt::format("group {} has {}, and is stepped with {}", group, *outer, inner));
      }
    }
  }

  template <typename Value>
  void Compare(const StepRecord& r, const std::string& what, const Value& first, const Value& other) {
    if (first == other) return;
    findings_.Add(r.at.step, r.from.rank, fmt::format("optimizer {}", r.at.optimizer),
                  fmt::format("{}: {}, rank 0 has {}", what, other, first));
  }

  Meeting<StepOf, StepRecord> steps_;
  Meeting<int64_t, LossScaleRecord> scales_;
  std::map<int, int64_t> scaled_;
};

const auto equal_settings = RegisteredLiveClause::Of<EqualSettings>(
    {.id = "C-LIVE-001",
     .name = "settings",
     .sentence = "All ranks make the same steps, with the same hyper-parameters, step counts, loss scale and skips.",
     .fidelity = Fidelity::kBitwise,
     .how = "Parameter groups and counts of each optimizer are compared after each step, and those of "
            "ZeroRedundancyOptimizer with the groups of the optimizer by which it steps.",
     .unseen = "one rank alone made steps",
     .bugs = {{"With an empty group in front, groups came back without their hyper-parameters.",
               "https://github.com/pytorch/pytorch/issues/143828"},
              {"Group data were lost when parameters were divided into sub-groups.",
               "https://github.com/deepspeedai/DeepSpeed/pull/7906"}}});

}  // namespace
}  // namespace zerocts::watch
