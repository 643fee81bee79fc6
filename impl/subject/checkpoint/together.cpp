#include "impl/subject/checkpoint/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace zerocts::engine {

std::vector<Told> Together(zerocts_engine& rank, const char* what, const std::function<Told()>& part) {
  const auto ranks = static_cast<size_t>(rank.world_size), self = static_cast<size_t>(rank.rank);
  std::exception_ptr failure;
  Told own{};
  try {
    own = part();
  } catch (...) {
    failure = std::current_exception();
  }
  // Who failed, then what each told. To every sum one rank alone adds more than 0.
  std::vector<uint64_t> sums(ranks + ranks * own.size());
  sums[self] = failure != nullptr;
  std::ranges::copy(own, sums.begin() + static_cast<ptrdiff_t>(ranks + self * own.size()));
  rank.engine->SumOverRanks(sums, what);
  if (failure) std::rethrow_exception(failure);

  std::vector<Told> told(ranks);
  for (size_t other = 0; other < ranks; ++other) {
    if (sums[other])
      throw std::runtime_error(fmt::format("rank {} could not {} the checkpoint; it says why", other, what));
    std::copy_n(sums.begin() + static_cast<ptrdiff_t>(ranks + other * own.size()), own.size(), told[other].begin());
  }
  return told;
}

}  // namespace zerocts::engine
