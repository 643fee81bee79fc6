// Notice: epochs in one order.
#include <fmt/format.h>

#include "conformance/watch/batch_order.hpp"
#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

class Epochs : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const BatchRecord& r) override {
    BatchOrder& order = orders_[{r.from.rank, r.model}];
    if (order.period() > 0) return;
    const int64_t again = order.again();
    order.Take(r.number, r.digests);
    findings_.Count(order.again() - again);
    if (order.period() > 0)
      findings_.Add(-1, r.from.rank, "the order of batches",
                    fmt::format("{} batches have come {} times in one order, the last is batch {}: is shuffle or "
                                "set_epoch missing?",
                                order.period(), BatchOrder::kTimes, r.number));
  }

 private:
  std::map<std::pair<int, int64_t>, BatchOrder> orders_;  // by rank and model
};

const auto epochs = RegisteredLiveClause::Of<Epochs>(
    {.id = "C-LIVE-024",
     .name = "epochs",
     .sentence = "A rank is not fed the same batches in the same order in each epoch.",
     .fidelity = Fidelity::kBitwise,
     .how = "Digests of the tensors that models are called with while they train, from the first batch on; a notice "
            "where at least four different batches came three times in one order. It is meant where a script learns a "
            "few batches by heart, or reads data in their order.",
     .unseen = "no batch came again, or not every batch was looked at",
     .bugs = {{"A sampler without set_epoch gave the same shuffle in each epoch.",
               "https://github.com/pytorch/pytorch/issues/31771"}},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
