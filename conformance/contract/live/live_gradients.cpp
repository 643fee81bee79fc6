// Notice: a model whose gradients are exactly zero.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

constexpr int kSteps = 3;

class LiveGradients : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const GradientsRecord& r) override {
    bool any = false, all_zero = true;
    for (const GradientsRecord::Part& part : r.parts) {
      for (const auto& added : part.added) {
        any = any || !added.empty();
        all_zero = all_zero && std::ranges::all_of(added, [](double x) { return x == 0; });
      }
    }
    if (!any) return;
    all_zero = all_zero && r.zero;
    findings_.Count(1);
    int& steps = zero_[{r.from.rank, r.at.optimizer}];
    steps = all_zero ? steps + 1 : 0;
    if (steps == kSteps)
      findings_.Add(r.at.step, r.from.rank, fmt::format("optimizer {}", r.at.optimizer),
                    fmt::format("all gradients were exactly zero in {} steps running", kSteps));
  }

 private:
  std::map<std::pair<int, int64_t>, int> zero_;
};

const auto live_gradients = RegisteredLiveClause::Of<LiveGradients>(
    {.id = "C-LIVE-021",
     .name = "dead-model",
     .sentence = "Some gradient of the model is not zero.",
     .fidelity = Fidelity::kBitwise,
     .how = "Sampled gradients of all parameters as backward made them, and all elements of those that the step is "
            "given; a notice after three steps.",
     .unseen = "no gradient of a backward was seen",
     .bugs = {},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
