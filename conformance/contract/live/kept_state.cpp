// A resumed optimizer has the state that it had.
#include <algorithm>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class KeptState : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const OptimizerRecord& r) override {
    if (!r.outer || r.digests.empty()) return;
    const auto& past = findings_.run().past();
    const bool resumes = std::ranges::any_of(past, [&](const std::set<uint64_t>& left) {
      return std::ranges::all_of(r.digests, [&](uint64_t digest) { return left.contains(digest); });
    });
    if (!resumes) return;
    findings_.Count(1);
    if (r.empty)
      findings_.Add(0, r.from.rank, r.optimizer_class,
                    "its parameters are those that a step of an earlier run left, and its state is empty");
  }
};

const auto kept_state = RegisteredLiveClause::Of<KeptState>(
    {.id = "C-LIVE-010",
     .name = "resume",
     .sentence = "Training that goes on from the parameters of an earlier run has the optimizer's state, too.",
     .fidelity = Fidelity::kBitwise,
     .how = "Digests of parameters at the first step are compared with those that earlier runs in the same folder had "
            "after a step.",
     .unseen = "no optimizer began with parameters of an earlier run in the folder of --out",
     .bugs = {{"The step of a parameter group was not saved, and the bias correction began again.",
               "https://github.com/deepspeedai/DeepSpeed/pull/5263"},
              {"A dummy step at construction replaced the step count that had been loaded.",
               "https://github.com/NVIDIA/Megatron-LM/pull/2874"}}});

}  // namespace
}  // namespace zerocts::watch
