#include "conformance/cases/inputs/one_rank.hpp"

#include "conformance/cases/case/plan_file.hpp"

namespace zerocts {
namespace {

bool IsSameFold(const Case& a, const Case& b) {
  if (a.reduction_order == "rank") return RankFold(ShapeOf(a)) == RankFold(ShapeOf(b));
  if (a.reduction_order == "tree") return TreeFold(ShapeOf(a)) == TreeFold(ShapeOf(b));
  return false;  // a ring begins elsewhere in every shard
}

/// In which a sum over ranks is rounded otherwise than one over micro-batches.
bool KeepsSumsInFp32(const Experiment& e) {
  return e.accumulation == Precision::kFp32 && e.reduction == Precision::kFp32;
}

}  // namespace

Case OnOneRank(const Case& c) {
  Case alone = c;
  alone.experiment.micro_batches *= c.data_ranks();
  alone.experiment.world_size = 1;
  alone.replicas = alone.tensor = 1;
  for (ExtraCall& call : alone.extra_calls) call.micro_batches *= c.data_ranks();
  if (IsPlanFile(alone.plan)) alone.plan.clear();  // it is for more ranks
  return alone;
}

bool AddsAsOnOneRank(const Case& c) {
  return IsExact(c.experiment) || (KeepsSumsInFp32(c.experiment) && IsSameFold(c, OnOneRank(c)));
}

}  // namespace zerocts
