#include "conformance/check/finding/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "conformance/check/expected/expected_tensor.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNeighbours = 2;  // on each side

std::vector<ElementValues> Around(int64_t index, const TensorRecord& record, std::span<const float> expected) {
  std::vector<ElementValues> around;
  const int64_t end = std::min(index + kNeighbours + 1, std::ssize(expected));
  for (int64_t i = std::max<int64_t>(index - kNeighbours, 0); i < end; ++i) {
    const auto at = static_cast<size_t>(i);
    around.push_back({record.interval.begin + i, expected[at], record.values[at]});
  }
  return around;
}

}  // namespace

std::optional<Difference> DifferenceOf(std::span<const float> expected, std::span<const float> got) {
  if (expected.empty() || std::memcmp(expected.data(), got.data(), expected.size_bytes()) == 0) return std::nullopt;
  Difference difference;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (CanonicalBits(expected[i]) == CanonicalBits(got[i])) continue;
    if (difference.differing++ == 0) difference.first = static_cast<int64_t>(i);
  }
  if (difference.differing == 0) return std::nullopt;
  return difference;
}

Divergence DivergenceAt(const Experiment& experiment, int rank, const TensorRecord& record,
                        std::span<const float> expected, const Difference& difference) {
  Divergence d;
  d.step = record.step;
  d.phase = PhaseOf(record.what, record.step);
  d.rank = rank;
  d.tensor = TensorName(experiment, record.what, record.parameter);
  d.what = record.what;
  d.parameter = record.parameter;
  d.element = record.interval.begin + difference.first;
  d.interval = record.interval;
  d.expected = expected[static_cast<size_t>(difference.first)];
  d.got = record.values[static_cast<size_t>(difference.first)];
  d.ulp = UlpDistance(d.expected, d.got);
  d.differing = difference.differing;
  d.compared = static_cast<int64_t>(expected.size());
  d.around = Around(difference.first, record, expected);
  return d;
}

Divergence ScalarDivergence(int64_t step, Phase phase, int rank, const std::string& name, float expected, float got) {
  Divergence d;
  d.step = step;
  d.phase = phase;
  d.rank = rank;
  d.tensor = d.what = name;
  d.expected = expected;
  d.got = got;
  d.ulp = UlpDistance(expected, got);
  d.differing = d.compared = 1;
  return d;
}

std::optional<Divergence> LossDivergence(int64_t step, int rank, size_t k, double expected, double got) {
  const bool both_nan = expected != expected && got != got;
  if (both_nan || std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(got)) return std::nullopt;
  Divergence divergence = ScalarDivergence(step, Phase::kMicroBatch, rank, fmt::format("loss of micro-batch {}", k),
                                           static_cast<float>(expected), static_cast<float>(got));
  divergence.note = fmt::format("in double: expected {:.17g}, got {:.17g}", expected, got);
  return divergence;
}

}  // namespace zerocts
