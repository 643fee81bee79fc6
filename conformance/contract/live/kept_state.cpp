// A resumed optimizer has the state that it had.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class KeptState : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const OptimizerRecord& r) override {
    if (!r.outer || r.digests.empty()) return;
    const auto holds_all = [&](const std::set<uint64_t>& left) {
      return std::ranges::all_of(r.digests, [&](uint64_t digest) { return left.contains(digest); });
    };
    // A second optimizer that goes on where one of this run ended is no resumed one.
    std::set<uint64_t> left;
    for (const auto& [parameter, digest] : left_[r.from.rank]) left.insert(digest);
    if (holds_all(left)) return;
    std::vector<const PastStep*> steps;
    for (const PastStep& step : findings_.run().past()) {
      if (holds_all(step.digests)) steps.push_back(&step);
    }
    if (steps.empty()) return;
    findings_.Count(1);
    resumed_[r.from.rank] = steps;
    if (r.empty)
      findings_.Add(0, r.from.rank, r.optimizer_class,
                    "its parameters are those that a step of an earlier run left, and its state is empty");
  }

  void Take(const UpdateRecord& r) override {
    Differences differences;
    for (const PastStep* step : resumed_[r.from.rank]) {
      const auto state = step->states.find(r.from.rank);
      if (state == step->states.end()) continue;
      differences.clear();
      findings_.Count(state->second.Compare(
          r, [&](const std::string& name, const std::string& text) { differences.emplace_back(name, text); }));
      if (differences.empty()) return;
    }
    for (const auto& [name, text] : differences)
      findings_.Add(r.at.step, r.from.rank, name, text + ", in the run that goes on");
  }

  void Take(const StepRecord& r) override {
    resumed_.erase(r.from.rank);
    for (const StepRecord::Part& part : r.parts) left_[r.from.rank][part.parameter] = part.digest;
  }

 private:
  using Differences = std::vector<std::pair<std::string, std::string>>;

  /// By rank, until its first step is made: steps that left such parameters. A learning rate of 0 makes them several.
  std::map<int, std::vector<const PastStep*>> resumed_;
  std::map<int, std::map<int64_t, uint64_t>> left_;  // by the last steps of this run: of each rank's parameters
};

const auto kept_state = RegisteredLiveClause::Of<KeptState>(
    {.id = "C-LIVE-010",
     .name = "resume",
     .sentence = "Training that goes on from the parameters of an earlier run has the optimizer's state, too.",
     .fidelity = Fidelity::kBitwise,
     .how =
         "Digests of parameters at the first step are compared with those that the run before in the same folder had "
         "after its last 1,000 steps. Where they are equal, state must be there, and sampled moments and step counts "
         "of Adam and AdamW must be those that the step had left. A step that changed nothing is left out, and so is "
         "an optimizer that keeps no state, as SGD without momentum.",
     .unseen = "no optimizer began with parameters of an earlier run in the folder of --out",
     .bugs = {{"The step of a parameter group was not saved, and the bias correction began again.",
               "https://github.com/deepspeedai/DeepSpeed/pull/5263"},
              {"A dummy step at construction replaced the step count that had been loaded.",
               "https://github.com/NVIDIA/Megatron-LM/pull/2874"}}});

}  // namespace
}  // namespace zerocts::watch
