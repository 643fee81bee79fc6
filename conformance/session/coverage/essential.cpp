#include "conformance/session/coverage/essential.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/session/configuration/configurations.hpp"

namespace zerocts {
namespace {

using Alternatives = Essential::value_type;

constexpr std::string_view kNeeds = "needs: ";

/// What is missing for each of the alternatives; "" where nothing is missing for one of them.
std::string MissingOf(const Alternatives& alternatives, Fidelity fidelity, int ranks, const SessionSettings& settings) {
  std::vector<std::string> needs;
  for (const std::string& feature : alternatives) {
    const std::string missing = MissingFor(feature, settings, fidelity, ranks);
    if (missing.empty()) return "";
    const std::string need = missing.substr(kNeeds.size());
    if (!Contains(needs, need)) needs.push_back(need);
  }
  return fmt::format("{}{}", kNeeds, fmt::join(needs, " or "));
}

std::string MissingEssential(const Clause& clause, const Configuration& configuration,
                             const SessionSettings& settings) {
  SessionSettings here = settings;
  here.precisions = {configuration.precision};
  const Fidelity fidelity = FidelityFor(clause, settings.info.capabilities);
  for (const Alternatives& alternatives : clause.essential) {
    std::string missing = MissingOf(alternatives, fidelity, configuration.world_size, here);
    if (!missing.empty()) return missing;
  }
  return "";
}

/// What a process's figures tell of a rank, where ranks of Python are threads of one interpreter: nothing.
std::string MissingProcess(const Clause& clause, const Configuration& configuration, const SessionSettings& settings) {
  const bool share_interpreter =
      configuration.launcher == LauncherKind::kThreads && !settings.subject.framework.empty();
  const bool judges_process = std::ranges::any_of(clause.essential, [](const Alternatives& alternatives) {
    return Contains(alternatives, std::string("resources"));
  });
  return share_interpreter && judges_process ? "needs: a process per rank" : "";
}

}  // namespace

std::string TextOf(const Essential& essential) {
  std::vector<std::string> parts;
  for (const Alternatives& alternatives : essential) {
    const bool in_brackets = essential.size() > 1 && alternatives.size() > 1;
    parts.push_back(
        fmt::format("{}{}{}", in_brackets ? "(" : "", fmt::join(alternatives, " or "), in_brackets ? ")" : ""));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

MissingCapability MissingForClause(const Clause& clause, const CaseSpace& space, const Configuration& configuration,
                                   const SessionSettings& settings) {
  const std::string of_space = Missing(space, ConditionsOf(configuration, settings), settings.info.capabilities);
  if (!of_space.empty()) return {of_space};
  if (const std::string process = MissingProcess(clause, configuration, settings); !process.empty()) return {process};
  const std::string essential = MissingEssential(clause, configuration, settings);
  return {essential, !essential.empty()};
}

bool IsAbout(const Essential& essential, const std::set<std::string>& features_of_case) {
  return std::ranges::all_of(essential, [&](const Alternatives& alternatives) {
    return std::ranges::any_of(alternatives, [&](const std::string& f) { return features_of_case.contains(f); });
  });
}

void Asked::Add(const Essential& essential, const std::set<std::string>& features_of_case) {
  cases += IsAbout(essential, features_of_case);
  for (const Alternatives& alternatives : essential) {
    for (const std::string& feature : alternatives) features[feature] += features_of_case.contains(feature);
  }
}

void Asked::Add(const Asked& other) {
  cases += other.cases;
  for (const auto& [feature, count] : other.features) features[feature] += count;
}

}  // namespace zerocts
