#include "conformance/contract/breach.hpp"

#include <fmt/format.h>

namespace zerocts {

std::optional<Breach> FirstBreach(const RunResult& result) {
  for (const auto* ranks : {&result.ranks, &result.loading_ranks}) {
    for (const RankObservation& rank : *ranks) {
      if (!rank.breaches.empty()) return Breach(fmt::format("rank {}: {}", rank.rank, fmt::join(rank.breaches, "; ")));
    }
  }
  return std::nullopt;
}

}  // namespace zerocts
