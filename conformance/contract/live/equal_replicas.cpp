// All ranks that hold a copy hold the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class EqualReplicas : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const StepRecord& r) override {
    std::vector<std::pair<int64_t, uint64_t>> digests;
    for (const StepRecord::Part& part : r.parts) digests.emplace_back(part.parameter, part.digest);
    Join({r.at, "after the step"}, r.at.step, r.from, digests);
  }
  void Take(const ReadRecord& r) override {
    std::vector<std::pair<int64_t, uint64_t>> digests;
    for (size_t i = 0; i < r.parameters.size(); ++i) digests.emplace_back(r.parameters[i], r.digests[i]);
    Join({{0, r.number}, "before the next forward"}, r.step, r.from, digests);
  }

 private:
  using Digests = std::vector<std::pair<int64_t, uint64_t>>;
  using Moment = std::pair<StepOf, std::string>;
  using Copy = ParameterRecord::Part;

  void Join(const Moment& moment, int64_t step, Origin from, Digests digests) {
    if (from.world < 2) return;
    if (const auto all = meeting_.Join(moment, from.rank, std::move(digests), static_cast<size_t>(from.world)))
      Judge(moment.second, step, *all);
  }

  void Judge(const std::string& when, int64_t step, const std::map<int, Digests>& all) {
    std::map<Copy, std::map<int, uint64_t>> copies;
    std::map<Copy, bool> is_plain;
    for (const auto& [rank, digests] : all) {
      for (const auto& [parameter, digest] : digests) {
        const ParameterRecord* place = findings_.run().Find(rank, parameter);
        if (!place || !place->is_placed()) continue;
        const Copy copy = place->part();
        copies[copy][rank] = digest;
        is_plain[copy] = place->place == "plain";
      }
    }
    for (const auto& [copy, by_rank] : copies) {
      if (by_rank.size() < 2) continue;
      std::map<uint64_t, std::vector<int>> ranks;
      for (const auto& [rank, digest] : by_rank) ranks[digest].push_back(rank);
      findings_.Count(static_cast<int64_t>(by_rank.size()) - 1);
      if (ranks.size() == 1) {
        was_equal_.insert(copy);
        continue;
      }
      if (!is_plain[copy]) findings_.Add(step, -1, std::get<0>(copy), Sentence(when, ranks));
      // Nobody promised that what no framework has wrapped is a copy; it was one if all ranks had the same.
      if (is_plain[copy] && was_equal_.contains(copy))
        findings_.AddNotice(step, -1, std::get<0>(copy), Sentence(when, ranks));
    }
  }

  static std::string Sentence(const std::string& when, const std::map<uint64_t, std::vector<int>>& ranks) {
    std::vector<std::vector<int>> groups;  // the largest first
    for (const auto& [digest, same] : ranks) groups.push_back(same);
    std::ranges::stable_sort(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
    if (groups[0].size() == 1) return fmt::format("the copies differ {}, on each of {} ranks", when, groups.size());
    std::vector<int> others;
    for (size_t i = 1; i < groups.size(); ++i) others.insert(others.end(), groups[i].begin(), groups[i].end());
    std::ranges::sort(others);
    return fmt::format("on {} it differs {} from {}", RanksText(others), when, RanksText(groups[0]));
  }

  Meeting<Moment, Digests> meeting_;
  std::set<Copy> was_equal_;
};

const auto equal_replicas = RegisteredLiveClause::Of<EqualReplicas>(
    {.id = "C-LIVE-009",
     .name = "replicas",
     .sentence = "All ranks that hold a copy of a parameter, or of the same part of it, hold the same bits.",
     .fidelity = Fidelity::kBitwise,
     .how = "Digests of all elements, after each step and again before the next forward.",
     .unseen = "no part of a parameter is held by two ranks",
     .bugs = {{"Sharding untied the weights: two copies were trained apart.",
               "https://github.com/NVIDIA-NeMo/Automodel/pull/2213"},
              {"Gradients of parameters excluded from sharding were not synchronised.",
               "https://github.com/pytorch/pytorch/issues/98281"}}});

}  // namespace
}  // namespace zerocts::watch
