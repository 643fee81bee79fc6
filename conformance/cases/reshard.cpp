#include "conformance/cases/reshard.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

bool Uses(const Case& c, CheckpointUse how) { return c.checkpoint && c.checkpoint->how == how; }

}  // namespace

bool IsResharded(const Case& c) { return Uses(c, CheckpointUse::kReshard); }

Case SavingRun(const Case& c) {
  Case saving = c;
  saving.checkpoint = {c.checkpoint->after_step, CheckpointUse::kSaveOnly};
  return saving;
}

Case LoadingRun(const Case& c) {
  Case loading = c;
  loading.experiment.world_size = c.checkpoint->other_world_size;
  loading.checkpoint = {.after_step = c.checkpoint->after_step,
                        .how = CheckpointUse::kLoad,
                        .damage = std::nullopt,
                        .other_world_size = c.world_size()};
  return loading;
}

std::string LoadedBy(const Case& c) {
  const int others = c.checkpoint->other_world_size;
  return fmt::format("{} {} what {} saved: ", others, others == 1 ? "rank loads" : "ranks load", c.world_size());
}

bool LoadsOnly(const Case& c) { return Uses(c, CheckpointUse::kLoad); }

bool DoneByOthers(const Case& c, int64_t step) { return LoadsOnly(c) && step < FirstStep(c); }

Case RunOfSavers(const Case& loading) {
  Case savers = loading;
  savers.experiment.world_size = loading.checkpoint->other_world_size;
  savers.checkpoint.reset();
  return savers;
}

}  // namespace zerocts
