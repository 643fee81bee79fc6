// The norm that gradients are clipped by.
#include <fmt/format.h>

#include <cmath>

#include "conformance/watch/clips.hpp"
#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class Clipping : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const ClipRecord& r) override {
    if (const auto call = calls_.Join(r.call, r.from.rank, r, static_cast<size_t>(r.from.world))) Judge(*call);
  }

  void Take(const LossScaleRecord& r) override {
    if (r.clipped_scaled && r.scale != 1)
      findings_.AddNotice(r.step, r.from.rank, "clip_grad_norm_",
                          fmt::format("its gradients were scaled by {}: unscale_ was not called before it", r.scale));
  }

  void Take(const GradientsRecord& r) override {
    const Calls calls{r.batches, r.clips.size()};
    const auto all = steps_.Join(r.at, r.from.rank, calls, static_cast<size_t>(r.from.world));
    if (!all) return;
    for (const auto& [rank, own] : *all) {
      const Calls& first = all->begin()->second;
      if (own.batches != first.batches) return;  // their steps do not belong together
      if (own.times != first.times)
        return findings_.Add(r.at.step, rank, "clip_grad_norm_",
                             fmt::format("called {} times before the step, {} times on rank {}", own.times, first.times,
                                         all->begin()->first));
    }
  }

 private:
  struct Calls {
    int64_t batches;
    size_t times;
  };

  void Judge(const std::map<int, ClipRecord>& call) {
    const ClipRecord& first = call.begin()->second;
    for (const auto& [rank, own] : call) {
      findings_.Count(1);
      if (own.max_norm != first.max_norm || own.norm_type != first.norm_type)
        return findings_.Add(own.step, rank, "clip_grad_norm_",
                             fmt::format("max_norm {}, {} on rank {}", own.max_norm.value_or(INFINITY),
                                         first.max_norm.value_or(INFINITY), first.from.rank));
      const std::optional<NormOfRank> norm = NormOf(call, rank, findings_.run());
      if (!norm || !own.told || norm->norm == 0) continue;
      if (std::abs(*own.told - norm->norm) > norm->error * norm->norm)
        findings_.Add(own.step, rank, "clip_grad_norm_",
                      fmt::format("returned {}, the gradients have {} (within {:.1g} of it)", *own.told, norm->norm,
                                  norm->error * norm->norm));
    }
  }

  Meeting<int64_t, ClipRecord> calls_;
  Meeting<StepOf, Calls> steps_;
};

const auto clipping = RegisteredLiveClause::Of<Clipping>(
    {.id = "C-LIVE-005",
     .name = "clip",
     .sentence = "All ranks clip by the same norm, which is that of all gradients that are clipped.",
     .fidelity = Fidelity::kBounded,
     .how = "Sums of squares in fp64 of every part, each part once; the norm that clip_grad_norm_ returned must lie "
            "within the bound of sums in fp32. Whether gradients were scaled by it is judged by the gradient flow.",
     .unseen = "clip_grad_norm_ was not called",
     .bugs = {{"The clip function was handed gradients instead of parameters: right norm, nothing scaled.",
               "https://github.com/huggingface/transformers/pull/46113"},
              {"Unsharded gradients were counted once per rank.", "https://github.com/pytorch/pytorch/pull/88955"}}});

}  // namespace
}  // namespace zerocts::watch
