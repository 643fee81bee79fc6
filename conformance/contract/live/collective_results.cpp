// Every collective gives what its ranks put in.
#include <fmt/format.h>

#include <set>

#include "conformance/watch/additions.hpp"
#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

constexpr double kLongWait = 40;  // seconds: ranks that came later tell at 30

class CollectiveResults : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const CollectiveRecord& r) override {
    waiting_.erase(r.from.rank);
    const Key key{r.group, r.ranks, r.number};
    if (const auto all = meeting_.Join(key, r.from.rank, r, r.ranks.size())) Judge(*all);
  }

  /// Long waits are often meant, as when one rank saves; a rank that is not there is named as it may hang for good.
  void Take(const WaitsRecord& r) override {
    waiting_[r.from.rank] = r;
    std::vector<int> missing;
    for (const int rank : r.ranks) {
      const auto found = waiting_.find(rank);
      const bool is_there =
          found != waiting_.end() && found->second.group == r.group && found->second.number == r.number;
      if (!is_there) missing.push_back(rank);
    }
    if (r.seconds < kLongWait) return;
    findings_.AddNotice(
        r.step, r.from.rank, fmt::format("{} in the group of {}", r.op, RanksText(r.ranks)),
        fmt::format("number {}: it has waited for {:.0f} s{}", r.number, r.seconds, MissingText(missing)));
  }

  void Finish(bool in_order) override {
    if (!in_order) return;  // a rank that died entered nothing more
    for (const auto& [key, there] : meeting_.waiting()) {
      std::vector<int> missing;
      for (const int rank : std::get<1>(key)) {
        if (!there.contains(rank)) missing.push_back(rank);
      }
      findings_.Add(there.begin()->second.step, -1, GroupText(there.begin()->second),
                    fmt::format("{} number {} was never entered by {}", there.begin()->second.op, std::get<2>(key),
                                RanksText(missing)));
    }
  }

 private:
  using Key = std::tuple<std::string, std::vector<int>, int64_t>;

  /// " for rank 1, which waits in broadcast_ number 3", of those that are not in the collective.
  std::string MissingText(const std::vector<int>& missing) const {
    if (missing.empty()) return ", as all ranks of the group have: the transport does not end it";
    std::string text = " for " + RanksText(missing);
    for (const int rank : missing) {
      const auto elsewhere = waiting_.find(rank);
      if (elsewhere != waiting_.end())
        text += fmt::format("; rank {} is in {} number {} of the group of {}", rank, elsewhere->second.op,
                            elsewhere->second.number, RanksText(elsewhere->second.ranks));
    }
    return text;
  }

  static std::string GroupText(const CollectiveRecord& r) {
    return fmt::format("{} in the group of {}", r.op, RanksText(r.ranks));
  }

  void Judge(const std::map<int, CollectiveRecord>& all) {
    std::set<std::tuple<std::string, std::string, int64_t>> kinds;
    for (const auto& [rank, r] : all)
      kinds.insert({r.op + (r.reduce.empty() ? "" : " (" + r.reduce + ")"), r.dtype, r.numel});
    const CollectiveRecord& first = all.begin()->second;
    if (kinds.size() > 1 && first.op != "allgather_") {
      const auto& [op, dtype, numel] = *kinds.begin();
      const auto& [other_op, other_dtype, other_numel] = *kinds.rbegin();
      return findings_.Add(first.step, -1, GroupText(first),
                           fmt::format("number {}: ranks entered different collectives, {} of {} {} and {} of {} {}",
                                       first.number, op, numel, dtype, other_op, other_numel, other_dtype));
    }
    for (size_t me = 0; me < first.ranks.size(); ++me) {
      const auto found = all.find(first.ranks[me]);
      if (found != all.end()) JudgeRank(all, first.ranks, me, found->second);
    }
  }

  void JudgeRank(const std::map<int, CollectiveRecord>& all, const std::vector<int>& ranks, size_t me,
                 const CollectiveRecord& r) {
    const auto n = static_cast<size_t>(r.samples);
    for (size_t i = 0; i < r.got.size(); ++i) {
      if (r.gathers()) {
        Expect(r, r.got[i], all.at(ranks[i / n]).sent[i % n], ranks[i / n]);
      } else if (r.op == "broadcast_") {
        const int root = ranks.at(static_cast<size_t>(r.root.value_or(0)) % ranks.size());
        Expect(r, r.got[i], all.at(root).sent[i], root);
      } else {
        std::vector<Element> terms;
        for (const int rank : ranks) terms.push_back(all.at(rank).sent[r.scatters() ? me * n + i : i]);
        if (const auto wrong = WrongReduction(r.got[i], terms, r.dtype, r.reduce)) Add(r, *wrong);
      }
    }
    findings_.Count(static_cast<int64_t>(r.got.size()));
  }

  void Expect(const CollectiveRecord& r, const Element& got, const Element& sent, int from) {
    if (got.bits != sent.bits) Add(r, fmt::format("got {} where rank {} sent {}", got.value, from, sent.value));
  }

  void Add(const CollectiveRecord& r, const std::string& text) {
    findings_.Add(r.step, r.from.rank, GroupText(r), fmt::format("number {}, {}: {}", r.number, r.dtype, text));
  }

  Meeting<Key, CollectiveRecord> meeting_;
  std::map<int, WaitsRecord> waiting_;  // the last of each rank
};

const auto collective_results = RegisteredLiveClause::Of<CollectiveResults>(
    {.id = "C-LIVE-004",
     .name = "collective",
     .sentence = "A gather or a broadcast gives the bits that were sent; a reduction gives what its operation makes of "
                 "what its ranks put in.",
     .fidelity = Fidelity::kBitwise,
     .how =
         "Of each collective some elements are compared at the same positions on all ranks. A sum of up to five ranks "
         "must be that of one of all trees of additions; of more ranks it must lie within the bound of any order. The "
         "operation is known to the library of zerocts watch prepare alone; without it any of them will do.",
     .unseen = "no collective of a process group was seen",
     .bugs = {{"A copy of a partition raced with a prefetched gather.",
               "https://github.com/deepspeedai/DeepSpeed/issues/5059"},
              {"Conversion to fp32 came before the all-reduce of the bf16 gradients.",
               "https://github.com/deepspeedai/DeepSpeed/pull/5154"}}});

}  // namespace
}  // namespace zerocts::watch
