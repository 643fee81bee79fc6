// Notice: steps whose backwards are uneven, lost, left over or used twice.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class BackwardWindows : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;
  using Part = GradientsRecord::Part;

  void Take(const GradientsRecord& r) override {
    findings_.Count(Backwards(r) > 0);
    Say(r, "gradients that were not zeroed", " began with what earlier backwards had left",
        [](const Part& part) { return part.carried; });
    Say(r, "gradients that were thrown away", " lost what earlier backwards had added: zero_grad between backwards?",
        [](const Part& part) { return part.thrown_away; });
    Say(r, "gradients that are used twice", ": no backward came since the last step",
        [&](const Part& part) { return IsUsedTwice(r, part); });
    if (!std::ranges::all_of(r.parts, IsTakenAway))  // gradient-flow says so then
      Say(r, "gradients that were taken away", ": backward produced it, and the step was given none", IsTakenAway);
    NoteWhatWasSeen(r);
    if (const auto all = meeting_.Join(r.at, r.from.rank, Backwards(r), static_cast<size_t>(r.from.world)))
      CompareRanks(r.at.step, *all);
  }

 private:
  /// In a rank, what backwards have given a gradient so far, and what its optimizers did.
  struct Seen {
    std::set<int64_t> parameters;
    std::map<int64_t, int64_t> next_step;  // by optimizer
    bool misses_steps = false;
  };

  template <typename Condition>
  void Say(const GradientsRecord& r, const char* what, const char* text, Condition condition) {
    const auto first = std::ranges::find_if(r.parts, condition);
    if (first == r.parts.end()) return;
    const int64_t others = std::count_if(first + 1, r.parts.end(), condition);
    findings_.Add(r.at.step, r.from.rank, what,
                  findings_.run().NameOf(r.from.rank, first->parameter) +
                      (others > 0 ? fmt::format(" and {} others", others) : "") + text);
  }

  static bool IsTakenAway(const Part& part) { return !part.arrived.empty() && part.gradient.empty(); }

  /// Only where every step is looked at: else a backward may have been missed.
  bool IsUsedTwice(const GradientsRecord& r, const Part& part) {
    const Seen& seen = seen_[r.from.rank];
    return !seen.misses_steps && part.added.empty() && seen.parameters.contains(part.parameter) &&
           std::ranges::any_of(part.gradient, [](double x) { return x != 0; });
  }

  void NoteWhatWasSeen(const GradientsRecord& r) {
    Seen& seen = seen_[r.from.rank];
    int64_t& next = seen.next_step[r.at.optimizer];
    seen.misses_steps = seen.misses_steps || r.at.step != next;
    next = r.at.step + 1;
    for (const Part& part : r.parts) {
      if (!part.added.empty()) seen.parameters.insert(part.parameter);
    }
  }

  static int64_t Backwards(const GradientsRecord& r) {
    int64_t most = 0;
    for (const Part& part : r.parts) most = std::max(most, std::ssize(part.added));
    return most;
  }

  void CompareRanks(int64_t step, const std::map<int, int64_t>& all) {
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(all, fewer);
    if (least->second > 0 && least->second != most->second)
      findings_.Add(step, most->first, "the number of backwards",
                    fmt::format("{} since the last step, {} on rank {}", most->second, least->second, least->first));
  }

  std::map<int, Seen> seen_;
  Meeting<StepOf, int64_t> meeting_;
};

const auto backward_windows = RegisteredLiveClause::Of<BackwardWindows>(
    {.id = "C-LIVE-025",
     .name = "backwards",
     .sentence =
         "A step uses what the backwards since the last step gave, as many on each rank, once and from zero on.",
     .fidelity = Fidelity::kBitwise,
     .how = "Sampled gradients at each backward and at the step. It is meant where a script keeps gradients or throws "
            "them away, or where ranks have uneven numbers of batches.",
     .unseen = "no gradient of a backward was seen",
     .bugs = {{"With offload only the last of several backward passes stayed.",
               "https://github.com/deepspeedai/DeepSpeed/pull/7981"}},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
