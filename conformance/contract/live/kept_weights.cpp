// Notice: weights that something else than a step has changed.
#include <fmt/format.h>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class KeptWeights : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const StepRecord& r) override {
    for (const StepRecord::Part& part : r.parts) {
      if (part.held) left_[{r.from.rank, part.parameter}] = part.digest;
    }
  }

  void Take(const ReadRecord& r) override {
    for (size_t i = 0; i < r.parameters.size(); ++i) {
      const auto left = left_.find({r.from.rank, r.parameters[i]});
      if (left == left_.end()) continue;
      findings_.Count(1);
      if (left->second != r.digests[i])
        findings_.Add(r.step, r.from.rank, findings_.run().NameOf(r.from.rank, r.parameters[i]),
                      "it was changed between the step before and this forward");
      left_.erase(left);
    }
  }

 private:
  std::map<std::pair<int, int64_t>, uint64_t> left_;
};

const auto kept_weights = RegisteredLiveClause::Of<KeptWeights>(
    {.id = "C-LIVE-022",
     .name = "changed-weights",
     .sentence = "Nothing but a step changes a parameter.",
     .fidelity = Fidelity::kBitwise,
     .how = "Digests of all elements after a step and before the next forward. It is meant where a script clips or "
            "averages weights.",
     .unseen = "no forward came after a step",
     .bugs = {},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
