// Notices about data: ranks that are fed alike, epochs in one order.
#include <fmt/format.h>

#include <set>

#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

constexpr int kInARow = 3;  // batches that are equal by chance are not equal so often

class DifferentBatches : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const BatchRecord& r) override {
    if (!r.ranks || r.ranks->size() < 2) return;
    const auto all = batches_.Join({r.model, r.number, *r.ranks}, r.from.rank, r, r.ranks->size());
    if (!all) return;
    std::map<std::vector<uint64_t>, std::vector<int>> ranks;
    for (const auto& [rank, batch] : *all) ranks[batch.digests].push_back(rank);
    findings_.Count(static_cast<int64_t>(all->size()) - 1);
    std::set<std::vector<int>> alike;
    for (const auto& [digests, same] : ranks) {
      if (same.size() > 1) alike.insert(same);
    }
    equal_ = alike.empty() || alike != alike_ ? static_cast<int>(!alike.empty()) : equal_ + 1;
    alike_ = alike;
    if (equal_ == kInARow)
      findings_.Add(
          -1, -1, RanksText(*alike.begin()),
          fmt::format("they were fed equal batches {} times running, the last is batch {}", kInARow, r.number));
  }

 private:
  Meeting<std::tuple<int64_t, int64_t, std::vector<int>>, BatchRecord> batches_;
  std::set<std::vector<int>> alike_;
  int equal_ = 0;
};

const auto different_batches = RegisteredLiveClause::Of<DifferentBatches>(
    {.id = "C-LIVE-020",
     .name = "data",
     .sentence = "Ranks that average gradients are fed different batches.",
     .fidelity = Fidelity::kBitwise,
     .how = "Digests of the tensors that the model is called with; a notice where two ranks had equal ones three times "
            "running.",
     .unseen = "no model of DDP, FSDP1 or FSDP2 was called with tensors while it trained",
     .bugs = {},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch
