#include "conformance/cli/check/plain_run.hpp"

#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/host/conductor/rank_group.hpp"

namespace zerocts {

std::optional<Case> PlainCase(const SessionSettings& settings, int world_size) {
  CaseSpace space{.clause = "C-ZERO-001"};
  const Capabilities& can = settings.info.capabilities;
  if (!settings.aims.empty()) space.optimizers = can.optimizers;
  const CasePlace place{world_size, can.param_dtypes.front(), settings.aims};
  if (!Missing(space, place, can).empty()) return std::nullopt;
  constexpr int kSmall = 5;
  Draws draws(settings.seed);
  return DrawFittingCase(space, place, can, kSmall, draws);
}

RunResult RunPlainCase(const SubjectSpec& subject, LauncherKind launcher, const Case& c, const HostSettings& host) {
  return RankGroup(subject, launcher, c.world_size(), host).Run(c);
}

}  // namespace zerocts
