#include "reference/experiment/exact_codes.hpp"

#include <algorithm>
#include <bit>

#include "reference/experiment/random_streams.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr int64_t kLargestModulus = 1021;

bool IsPrime(int64_t n) {
  if (n < 2) return false;
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

}  // namespace

int64_t CodeModulus(int64_t world_size, int64_t micro_batches, Precision precision) {
  const int64_t count = world_size * micro_batches;
  const int64_t odd = count >> std::countr_zero(static_cast<uint64_t>(count));
  int64_t largest = std::min(kLargestModulus, ((int64_t{1} << 24) - 1) / (odd * count));
  if (precision == Precision::kBf16) largest = std::min(largest, 256 / odd);
  for (int64_t m = largest; m >= 3; --m) {
    if (IsPrime(m) && count % m != 0) return m;
  }
  return 0;
}

int64_t ElementCodes::CodeAt(int64_t flat_index, int64_t block, uint64_t shift) const {
  // Even and at most M - 3: the last position of a block and the first of the next never meet.
  const uint64_t offset = 2 * RandomBelow(seed_, Stream({kDrawCodeBlock}), block, (modulus_ - 1) / 2);
  return 1 + static_cast<int64_t>((flat_index + offset + shift) % modulus_);
}

}  // namespace zerocts
