#include "reference/experiment/value_exponents.hpp"

#include <algorithm>
#include <bit>

#include "reference/experiment/exact_codes.hpp"

namespace zerocts {
namespace {

constexpr int kLargestExponent = 127;
constexpr int kUniformExponent = 3;  // random gradients are below 8
constexpr int kInitialExponent = 5;  // initial integers are below 32, other initial values below 2

/// Two to this power is more than the count of micro-batches.
int CountExponent(const Experiment& e) {
  return std::bit_width(static_cast<uint64_t>(int64_t{e.world_size} * e.micro_batches));
}

}  // namespace

int MeanExponent(const Experiment& e) {
  if (!IsExact(e.gradients)) return kUniformExponent;
  const int64_t largest_code = std::max<int64_t>(CodeModulus(e.world_size, e.micro_batches, NarrowestPrecision(e)), 4);
  return std::bit_width(static_cast<uint64_t>(largest_code)) + CountExponent(e);
}

int SumExponent(const Experiment& e) { return MeanExponent(e) + CountExponent(e); }

ExponentRange GradientExponents(const Experiment& e) {
  const bool bf16 = NarrowestPrecision(e) == Precision::kBf16;
  return {bf16 ? kSmallestExponentBf16 : kSmallestExponent, kLargestExponent - SumExponent(e)};
}

ExponentRange InitialExponents() { return {kSmallestExponent, kLargestExponent - kInitialExponent}; }

}  // namespace zerocts
