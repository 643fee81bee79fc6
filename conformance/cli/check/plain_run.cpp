#include "conformance/cli/check/plain_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

/// The subject's sentence when it refuses; "" otherwise.
std::string RefusalOf(const SubjectSpec& subject, LauncherKind launcher, const Case& c, const HostSettings& host) {
  const RunResult result = RunPlainCase(subject, launcher, c, host);
  return result.ending == Ending::kRefused ? result.message : "";
}

std::string NamesOf(const SubjectSpec& subject) {
  std::vector<std::string> names;
  for (const auto& [key, value] : subject.options) names.push_back(key + "=" + value);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::optional<Case> PlainCase(const SessionSettings& settings, int world_size) {
  CaseSpace space{.clause = "C-ZERO-001"};
  const Capabilities& can = settings.info.capabilities;
  if (!settings.constraints.empty()) space.optimizers = can.optimizers;
  const CaseConditions conditions{world_size, can.param_dtypes.front(), settings.constraints};
  if (!Missing(space, conditions, can).empty()) return std::nullopt;
  constexpr int kSmall = 5;
  Draws draws(settings.seed);
  return DrawFittingCase(space, conditions, can, kSmall, draws);
}

RunResult RunPlainCase(const SubjectSpec& subject, LauncherKind launcher, const Case& c, const HostSettings& host) {
  return RankGroup(subject, launcher, c.world_size(), host).Run(c);
}

void RequireOptions(const SessionSettings& settings) {
  if (settings.subject.options.empty()) return;
  const int world_size = *std::ranges::max_element(settings.world_sizes);
  const std::optional<Case> plain = PlainCase(settings, world_size);
  if (!plain) return;
  SubjectSpec without = settings.subject;
  without.options.clear();
  for (const LauncherKind launcher : settings.launchers) {
    const std::string refusal = RefusalOf(settings.subject, launcher, *plain, settings.host);
    if (refusal.empty() || !RefusalOf(without, launcher, *plain, settings.host).empty()) continue;
    throw UsageError(
        fmt::format("--option, --device: expected what {} can have with {} ranks under {}, got {}; it says: {}",
                    settings.info.name, world_size, ToString(launcher), NamesOf(settings.subject), refusal));
  }
}

}  // namespace zerocts
