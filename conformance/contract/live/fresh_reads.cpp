// What forward reads is what the owner of the element holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

class FreshReads : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const GradientsRecord& r) override {
    const auto all = meeting_.Join(r.at, r.from.rank, r, static_cast<size_t>(r.from.world));
    if (!all) return;
    for (const auto& [name, parts] : PartsByName(*all, findings_.run())) Judge(r.at, name, parts);
  }

 private:
  void Judge(StepOf at, const std::string& name, const PartsOfRanks& parts) {
    size_t reads = parts.begin()->second->reads.size();
    for (const auto& [rank, part] : parts) reads = std::min(reads, part->reads.size());
    for (size_t m = 0; m < reads; ++m) {
      std::map<int64_t, double> shards;  // by position
      for (const auto& [rank, part] : parts) {
        for (size_t k = 0; k < part->inside.size(); ++k)
          shards.emplace(part->at[static_cast<size_t>(part->inside[k])], part->held[m][k]);
      }
      for (const auto& [rank, part] : parts) JudgeRead(at, name, rank, *part, m, shards);
    }
  }

  void JudgeRead(StepOf at, const std::string& name, int rank, const GradientsRecord::Part& part, size_t m,
                 const std::map<int64_t, double>& shards) {
    for (size_t i = 0; i < part.at.size(); ++i) {
      const auto owner = shards.find(part.at[i]);
      if (owner == shards.end()) continue;
      const double expected = Rounded(owner->second, part.compute_dtype), got = part.reads[m][i];
      findings_.Count(1);
      if (got == expected || got == owner->second || std::isnan(expected)) continue;
      const ParameterRecord* place = findings_.run().Find(rank, part.parameter);
      const bool is_copied = place && place->place == "partition";
      findings_.Add(at.step, rank, name,
                    fmt::format("element {}: micro-batch {} read {}, its owner holds {}{}", part.at[i], m + 1, got,
                                expected, is_copied ? ", as all will after the next step" : ""));
    }
  }

  Meeting<StepOf, GradientsRecord> meeting_;
};

const auto fresh_reads = RegisteredLiveClause::Of<FreshReads>(
    {.id = "C-LIVE-008",
     .name = "read",
     .sentence = "Forward and backward read of each parameter what its owner holds, rounded to the dtype of compute.",
     .fidelity = Fidelity::kBitwise,
     .how = "When backward reaches a parameter, some of its elements are compared with the shard of their owner.",
     .unseen = "no parameter was read whole where its shards are known",
     .bugs = {{"The hook that refreshes weights after the step was inherited as a no-op.",
               "https://github.com/NVIDIA/Megatron-LM/pull/6336"},
              {"The gather was skipped when the elements to fetch added up to none.",
               "https://github.com/deepspeedai/DeepSpeed/pull/8375"}}});

}  // namespace
}  // namespace zerocts::watch
