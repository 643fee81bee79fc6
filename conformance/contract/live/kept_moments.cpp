// Notice: moments, step counts and fp32 copies that something else than a step has changed.
#include <map>
#include <utility>

#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/state_samples.hpp"

namespace zerocts::watch {
namespace {

class KeptMoments : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const UpdateRecord& r) override {
    Steps& steps = of_[{r.from.rank, r.at.optimizer}];
    if (steps.last != r.at.step) {
      steps.before = std::exchange(steps.after, {});
      steps.is_next = steps.last + 1 == r.at.step;
      steps.last = r.at.step;
    }
    if (steps.is_next) {
      findings_.Count(steps.before.Compare(r, [&](const std::string& name, const std::string& text) {
        findings_.Add(r.at.step, r.from.rank, name, text);
      }));
    }
    steps.after.Keep(r);
  }

 private:
  struct Steps {
    int64_t last = -2;
    bool is_next = false;        // was the step before `last` looked at?
    StateSamples before, after;  // what that one and `last` left
  };
  std::map<std::pair<int, int64_t>, Steps> of_;  // by rank and optimizer
};

const auto kept_moments = RegisteredLiveClause::Of<KeptMoments>(
    {.id = "C-LIVE-026",
     .name = "changed-state",
     .sentence = "Nothing but a step changes the moments, the step counts and the fp32 copies of an optimizer.",
     .fidelity = Fidelity::kBitwise,
     .how = "Sampled moments of SGD, Adam and AdamW, their counts, and the partitions that DeepSpeed steps in the "
            "place of parameters, before a step and after the step before. It is meant where a script loads a "
            "checkpoint or begins anew.",
     .unseen = "no two steps of SGD, Adam or AdamW in fp32 with moments were looked at one after the other",
     .bugs = {{"A dummy step at construction replaced the step count that had been loaded.",
               "https://github.com/NVIDIA/Megatron-LM/pull/2874"}},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
