// The parts that ranks hold tile the parameter.
#include <fmt/format.h>

#include <set>

#include "conformance/watch/live_clause.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::watch {
namespace {

class Tiling : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const ParameterRecord& r) override {
    if (!r.is_sharded()) return;
    const size_t ranks = r.ranks ? r.ranks->size() : static_cast<size_t>(r.from.world);
    if (const auto all = meeting_.Join({r.name, r.ranks.value_or(std::vector<int>())}, r.from.rank, r, ranks))
      Judge(*all);
  }

 private:
  using Box = std::pair<std::vector<int64_t>, std::vector<int64_t>>;  // offset, sizes

  static bool Overlap(const Box& a, const Box& b) {
    for (size_t d = 0; d < a.first.size(); ++d) {
      if (a.first[d] >= b.first[d] + b.second[d] || b.first[d] >= a.first[d] + a.second[d]) return false;
    }
    return true;
  }

  void Judge(const std::map<int, ParameterRecord>& all) {
    std::map<Box, int> boxes;  // of which rank
    const ParameterRecord& one = all.begin()->second;
    int64_t elements = 0;
    for (const auto& [rank, r] : all) {
      if (r.shape != one.shape)
        return findings_.Add(-1, rank, r.name, fmt::format("its shape differs from that of rank {}", one.from.rank));
      if (plan::Product(r.local) > 0 && boxes.try_emplace({r.offset, r.local}, rank).second)
        elements += plan::Product(r.local);
    }
    findings_.Count(1);
    for (auto a = boxes.begin(); a != boxes.end(); ++a) {
      for (auto b = std::next(a); b != boxes.end(); ++b) {
        if (Overlap(a->first, b->first))
          return findings_.Add(-1, b->second, one.name,
                               fmt::format("its part and that of rank {} overlap in part", a->second));
      }
    }
    if (elements != plan::Product(one.shape))
      findings_.Add(-1, -1, one.name,
                    fmt::format("ranks hold {} of its {} elements", elements, plan::Product(one.shape)));
  }

  Meeting<std::pair<std::string, std::vector<int>>, ParameterRecord> meeting_;
};

const auto tiling = RegisteredLiveClause::Of<Tiling>(
    {.id = "C-LIVE-003",
     .name = "tiling",
     .sentence = "The parts of a sharded parameter that ranks hold cover it, and overlap only where they are copies.",
     .fidelity = Fidelity::kBitwise,
     .how = "Offsets from placements and sizes as ranks hold them (DTensor), or both of flat parameters (FSDP1), once "
            "for each parameter.",
     .unseen = "no parameter is sharded by DTensor or by a flat parameter",
     .bugs = {
         {"The layout was made for more shards than the collective had ranks, and the last shards belonged to nobody.",
          "https://github.com/NVIDIA/Megatron-LM/pull/6048"},
         {"Clamping hybrid shard to one rank per shard silently turned sharding off.",
          "https://github.com/verl-project/verl/pull/7494"}}});

}  // namespace
}  // namespace zerocts::watch
