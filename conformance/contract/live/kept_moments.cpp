// Notice: moments and step counts that something else than a step has changed.
#include <fmt/format.h>

#include <array>
#include <set>

#include "conformance/watch/live_clause.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::watch {
namespace {

class KeptMoments : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const UpdateRecord& r) override {
    Left& left = left_[{r.from.rank, r.at.optimizer}];
    if (left.step + 1 == r.at.step) {
      for (const UpdateRecord::Part& part : r.parts) {
        CompareCounts(r, part, left);
        CompareMoments(r, part, left.moments);
      }
    }
    left = {.step = r.at.step};
    std::set<std::string> names, twice;  // tensors that belong to no model have no names of their own
    for (const UpdateRecord::Part& part : r.parts) {
      if (!names.insert(part.name).second) twice.insert(part.name);
    }
    for (const UpdateRecord::Part& part : r.parts) {
      if (twice.contains(part.name)) continue;
      if (part.steps > 0) left.counts[part.name] = part.steps + 1;
      KeepMoments(part, left.moments);
    }
  }

 private:
  using Element = std::tuple<std::string, size_t, int64_t>;  // parameter, moment, position
  using Moments = std::map<Element, float>;
  struct Left {
    int64_t step = -2;
    std::map<std::string, int64_t> counts;
    Moments moments;
  };

  static void KeepMoments(const UpdateRecord::Part& part, Moments& moments) {
    for (size_t m = 0; m < part.new_moments.size(); ++m) {
      for (size_t i = 0; i < part.at.size(); ++i) moments[{part.name, m, part.at[i]}] = part.new_moments[m][i];
    }
  }

  void CompareCounts(const UpdateRecord& r, const UpdateRecord::Part& part, const Left& left) {
    const auto count = left.counts.find(part.name);
    if (count == left.counts.end()) return;
    findings_.Count(1);
    if (count->second != part.steps)
      findings_.Add(
          r.at.step, r.from.rank, part.name,
          fmt::format("its state counted {} steps after the one before, and counts {}", count->second, part.steps));
  }

  void CompareMoments(const UpdateRecord& r, const UpdateRecord::Part& part, const Moments& moments) {
    for (size_t m = 0; m < part.moments.size(); ++m) {
      for (size_t i = 0; i < part.at.size(); ++i) {
        const auto left = moments.find({part.name, m, part.at[i]});
        if (left == moments.end()) continue;
        findings_.Count(1);
        const float now = part.moments[m][i];
        if (Bits(now) == Bits(left->second)) continue;
        return findings_.Add(r.at.step, r.from.rank, part.name,
                             fmt::format("element {} of its {} moment was {} after the step before, and is {}",
                                         part.at[i], kNames.at(m), left->second, now));
      }
    }
  }

  static constexpr std::array kNames = {"first", "second"};
  std::map<std::pair<int, int64_t>, Left> left_;  // by rank and optimizer, the last step
};

const auto kept_moments = RegisteredLiveClause::Of<KeptMoments>(
    {.id = "C-LIVE-026",
     .name = "changed-state",
     .sentence = "Nothing but a step changes the moments and step counts of an optimizer.",
     .fidelity = Fidelity::kBitwise,
     .how = "Sampled moments of SGD, Adam and AdamW, and their counts, before a step and after the step before. It is "
            "meant where a script loads a checkpoint or begins anew.",
     .unseen = "no two steps of SGD, Adam or AdamW in fp32 with moments were looked at one after the other",
     .bugs = {{"A dummy step at construction replaced the step count that had been loaded.",
               "https://github.com/NVIDIA/Megatron-LM/pull/2874"}},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
