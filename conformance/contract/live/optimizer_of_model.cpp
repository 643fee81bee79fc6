// An optimizer steps the parameters of a model.
#include <fmt/format.h>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class OptimizerOfModel : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const OptimizerRecord& r) override {
    if (!r.outer || r.held == 0) return;
    findings_.Count(1);
    if (r.known == 0 && r.with_gradient == 0)
      findings_.Add(
          r.at.step, r.from.rank, fmt::format("{} {}", r.optimizer_class, r.at.optimizer),
          fmt::format("none of its {} parameters belongs to a model or has a gradient: was it made before the "
                      "model was sharded, or for another one?",
                      r.held));
  }

  void Take(const StepRecord& r) override {
    if (r.at.step < 2) return;  // an optimizer made later may hold it
    for (const StepRecord::Part& part : r.parts) {
      if (!part.held && part.has_gradient)
        findings_.AddNotice(r.at.step, r.from.rank, findings_.run().NameOf(r.from.rank, part.parameter),
                            "it has a gradient, and no optimizer holds it");
    }
  }
};

const auto optimizer_of_model = RegisteredLiveClause::Of<OptimizerOfModel>(
    {.id = "C-LIVE-002",
     .name = "optimizer",
     .sentence = "An optimizer holds parameters of a model that have gradients.",
     .fidelity = Fidelity::kBitwise,
     .how = "At its first step, what it holds is looked for among the parameters of all modules. A parameter that has "
            "gradients and no optimizer is a notice.",
     .unseen = "no optimizer made a step",
     .bugs = {{"Parameters were divided in another order than they were saved in.",
               "https://github.com/deepspeedai/DeepSpeed/pull/1240"},
              {"Sharding untied the weights: two copies were trained apart.",
               "https://github.com/NVIDIA-NeMo/Automodel/pull/2213"}}});

}  // namespace
}  // namespace zerocts::watch
