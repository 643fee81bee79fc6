#include "conformance/session/stratum/strata.hpp"

#include <algorithm>

#include "conformance/host/launchers/launcher_kind.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {

std::string ToString(const Stratum& s) {
  return ToString(s.launcher) + " W=" + std::to_string(s.world_size) + " " + ToString(s.precision);
}

std::vector<Stratum> StrataOf(const SessionSettings& settings) {
  std::vector<Stratum> strata;
  for (LauncherKind launcher : settings.launchers) {
    for (int world_size : settings.world_sizes) {
      for (Precision precision : settings.precisions) strata.push_back({launcher, world_size, precision});
    }
  }
  return strata;
}

CasePlace PlaceOf(const Stratum& stratum, const SessionSettings& settings) {
  return {stratum.world_size, stratum.precision, settings.aims, settings.world_sizes, settings.largest_size};
}

std::vector<int> Shares(int cases, size_t strata) {
  std::vector<int> shares(strata);
  for (size_t i = 0; i < strata; ++i) {
    const int64_t begin = static_cast<int64_t>(cases * i / strata),
                  end = static_cast<int64_t>(cases * (i + 1) / strata);
    shares[i] = std::max(1, static_cast<int>(end - begin));
  }
  return shares;
}

uint64_t SeedOf(uint64_t run_seed, const std::string& clause_id, const Stratum& stratum) {
  const std::string text = std::to_string(run_seed) + " " + clause_id + " " + ToString(stratum);
  return std::stoull(HashOfBytes(text.data(), text.size()).substr(0, 16), nullptr, 16);
}

}  // namespace zerocts
