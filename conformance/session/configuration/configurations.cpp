#include "conformance/session/configuration/configurations.hpp"

#include <algorithm>

#include "conformance/contract/profiles.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {

std::string ToString(const Configuration& s) {
  return ToString(s.launcher) + " W=" + std::to_string(s.world_size) + " " + ToString(s.precision);
}

std::vector<int> DefaultWorldSizes(const Capabilities& capabilities) {
  std::vector<int> world_sizes;
  for (int world_size : SessionSettings{}.world_sizes) {
    if (world_size >= capabilities.min_world_size && world_size <= capabilities.max_world_size)
      world_sizes.push_back(world_size);
  }
  return world_sizes.empty() ? std::vector{capabilities.min_world_size} : world_sizes;
}

std::vector<Configuration> ConfigurationsOf(const SessionSettings& settings) {
  std::vector<Configuration> configurations;
  for (LauncherKind launcher : settings.launchers) {
    for (int world_size : settings.world_sizes) {
      for (Precision precision : settings.precisions) configurations.push_back({launcher, world_size, precision});
    }
  }
  return configurations;
}

CaseConditions ConditionsOf(const Configuration& configuration, const SessionSettings& settings) {
  return {configuration.world_size, configuration.precision, settings.constraints, settings.world_sizes,
          settings.largest_size};
}

std::vector<int> Shares(int cases, size_t configurations) {
  std::vector<int> shares(configurations);
  for (size_t i = 0; i < configurations; ++i) {
    const int64_t begin = static_cast<int64_t>(cases * i / configurations),
                  end = static_cast<int64_t>(cases * (i + 1) / configurations);
    shares[i] = std::max(1, static_cast<int>(end - begin));
  }
  return shares;
}

std::vector<uint64_t> SeedsOf(const SessionSettings& settings, const std::string& clause_id) {
  if (!settings.second_seed || !HasClause(settings.required, clause_id)) return {settings.seed};
  return {settings.seed, *settings.second_seed};
}

uint64_t SeedOf(uint64_t run_seed, const std::string& clause_id, const Configuration& configuration) {
  const std::string text = std::to_string(run_seed) + " " + clause_id + " " + ToString(configuration);
  return std::stoull(HashOfBytes(text.data(), text.size()).substr(0, 16), nullptr, 16);
}

}  // namespace zerocts
