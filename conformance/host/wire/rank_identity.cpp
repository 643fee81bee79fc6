#include "conformance/host/wire/rank_identity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

namespace {

struct Variables {
  const char *rank, *world_size;
};
constexpr Variables kVariables[] = {
    {"ZEROCTS_RANK", "ZEROCTS_WORLD_SIZE"},           {"RANK", "WORLD_SIZE"},  // torchrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}, {"PMI_RANK", "PMI_SIZE"},
};

int NumberOf(const char* variable) {
  const char* text = std::getenv(variable);
  int number = -1;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  if (error != std::errc() || *end || number < 0) {
    throw HarnessError(fmt::format("worker: expected a number >= 0 in {}, got \"{}\"; unset it when no launcher set it",
                                   variable, text));
  }
  return number;
}

}  // namespace

RankIdentity IdentityFromEnvironment() {
  for (const Variables& names : kVariables) {
    if (!std::getenv(names.rank) || !std::getenv(names.world_size)) continue;
    const RankIdentity identity{NumberOf(names.rank), NumberOf(names.world_size)};
    if (identity.rank < identity.world_size) return identity;
    throw HarnessError(fmt::format("worker: expected {} below {}, got {} and {}", names.rank, names.world_size,
                                   identity.rank, identity.world_size));
  }
  throw HarnessError(
      "worker: expected ZEROCTS_RANK and ZEROCTS_WORLD_SIZE or the variables of torchrun, Open MPI, Slurm or PMI, got "
      "none; let a "
      "launcher start it");
}

}  // namespace zerocts
