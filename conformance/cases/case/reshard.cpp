#include "conformance/cases/case/reshard.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

bool Uses(const Case& c, CheckpointUse how) { return c.checkpoint && c.checkpoint->how == how; }

/// Other tensor ranks train on the same data.
void TakeRanksOfOtherEnd(Case& c) {
  if (c.checkpoint->other_tensor > 0) {
    c.tensor = c.checkpoint->other_tensor;
  } else {
    c.experiment.world_size = c.checkpoint->other_world_size;
  }
}

}  // namespace

bool IsResharded(const Case& c) { return Uses(c, CheckpointUse::kReshard); }

Case SavingRun(const Case& c) {
  Case saving = c;
  saving.checkpoint = {c.checkpoint->after_step, CheckpointUse::kSaveOnly};
  return saving;
}

Case LoadingRun(const Case& c) {
  Case loading = c;
  TakeRanksOfOtherEnd(loading);
  loading.checkpoint = {.after_step = c.checkpoint->after_step,
                        .how = CheckpointUse::kLoad,
                        .damage = std::nullopt,
                        .other_world_size = c.world_size(),
                        .other_tensor = c.checkpoint->other_tensor > 0 ? c.tensor : 0};
  return loading;
}

void LetTensorRanksLoad(Case& c, int tensor) {
  c.checkpoint->other_tensor = tensor;
  c.checkpoint->other_world_size = c.data_ranks() * tensor;
}

std::string LoadedBy(const Case& c) {
  const int others = c.checkpoint->other_world_size;
  return fmt::format("{} {} what {} saved: ", others, others == 1 ? "rank loads" : "ranks load", c.world_size());
}

bool LoadsOnly(const Case& c) { return Uses(c, CheckpointUse::kLoad); }

bool DoneByOthers(const Case& c, int64_t step) { return LoadsOnly(c) && step < FirstStep(c); }

Case RunOfSavers(const Case& loading) {
  Case savers = loading;
  TakeRanksOfOtherEnd(savers);
  savers.checkpoint.reset();
  return savers;
}

}  // namespace zerocts
