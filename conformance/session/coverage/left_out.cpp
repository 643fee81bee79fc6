#include "conformance/session/coverage/left_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/names_of.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/report/log/result.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/essential.hpp"

namespace zerocts {
namespace {

/// An option that holds a run to a part of what the subject declares.
struct Restriction {
  std::string text;                                // "--optimizer adamw"
  std::function<void(SessionSettings&)> put_back;  // into a run without it
};

template <typename Item>
bool HoldsAll(const std::vector<Item>& some, const std::vector<Item>& all) {
  return std::ranges::all_of(all, [&](const Item& item) { return Contains(some, item); });
}

std::vector<Restriction> RestrictionsOf(const SessionSettings& settings) {
  std::vector<Restriction> restrictions;
  if (!Contains(settings.launchers, LauncherKind::kLocal)) {
    std::vector<std::string> names;
    for (const LauncherKind launcher : settings.launchers) names.push_back(ToString(launcher));
    restrictions.push_back({fmt::format("--launcher {}", fmt::join(names, ",")),
                            [&](SessionSettings& s) { s.launchers = settings.launchers; }});
  }
  for (const Constraint& constraint : settings.constraints)
    restrictions.push_back({TextOf({constraint}), [=](SessionSettings& s) { s.constraints.push_back(constraint); }});
  if (!HoldsAll(settings.precisions, settings.info.capabilities.param_dtypes))
    restrictions.push_back({fmt::format("--precision {}", fmt::join(NamesOf(settings.precisions), ",")),
                            [&](SessionSettings& s) { s.precisions = settings.precisions; }});
  if (!HoldsAll(settings.world_sizes, DefaultWorldSizes(settings.info.capabilities)))
    restrictions.push_back({fmt::format("--ranks {}", fmt::join(settings.world_sizes, ",")),
                            [&](SessionSettings& s) { s.world_sizes = settings.world_sizes; }});
  return restrictions;
}

/// As if no option had been given.
SessionSettings Unrestricted(const SessionSettings& settings) {
  SessionSettings all = settings;
  all.constraints.clear();
  if (!Contains(settings.launchers, LauncherKind::kLocal)) all.launchers = {LauncherKind::kLocal};
  all.precisions = settings.info.capabilities.param_dtypes;
  if (!HoldsAll(settings.world_sizes, DefaultWorldSizes(settings.info.capabilities)))
    all.world_sizes = DefaultWorldSizes(settings.info.capabilities);
  return all;
}

bool HasCases(const Clause& clause, const CaseSpace& space, const SessionSettings& settings) {
  return std::ranges::any_of(ConfigurationsOf(settings), [&](const Configuration& configuration) {
    return MissingForClause(clause, space, configuration, settings).text.empty();
  });
}

}  // namespace

std::string LeftOutBy(const Clause& clause, const CaseSpace& space, const SessionSettings& settings) {
  SessionSettings run = Unrestricted(settings);
  if (!HasCases(clause, space, run)) return "";
  std::vector<std::string> to_blame;
  for (const Restriction& restriction : RestrictionsOf(settings)) {
    SessionSettings with = run;
    restriction.put_back(with);
    if (HasCases(clause, space, with)) {
      run = with;
    } else {
      to_blame.push_back(restriction.text);
    }
  }
  return to_blame.empty() ? "" : fmt::format("{}{}", kLeftOutBy, fmt::join(to_blame, " "));
}

}  // namespace zerocts
