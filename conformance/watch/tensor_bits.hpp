// The tensors of a record, read from front to back; little-endian, densely packed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// Every reader throws std::invalid_argument where too few bytes are left, or for a dtype that is not known.
class TensorBits {
 public:
  explicit TensorBits(std::string_view bits) : bits_(bits) {}

  std::vector<double> Doubles(int64_t count);
  std::vector<float> Floats(int64_t count);
  std::vector<uint64_t> Words(int64_t count);
  std::vector<Element> Elements(int64_t count, const std::string& dtype);  // "bfloat16", "int64": torch's names
  int64_t left() const { return static_cast<int64_t>(bits_.size()); }

 private:
  const char* Take(int64_t count, int64_t size);
  template <typename Value>
  std::vector<Value> Values(int64_t count);

  std::string_view bits_;
};

/// `value` rounded to the nearest number of the dtype, ties to even; of an integer dtype: as it is.
double Rounded(double value, const std::string& dtype);
/// Half the distance of 1 and the next number: 2^-24 of float32. 0 of an integer.
double UnitRoundoff(const std::string& dtype);

/// Half of the smallest subnormal number: what one rounding may cost a number near 0.
double RoundingNearZero(const std::string& dtype);

}  // namespace zerocts::watch
