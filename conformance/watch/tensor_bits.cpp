#include "conformance/watch/tensor_bits.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

namespace zerocts::watch {
namespace {

struct FloatingDtype {
  int bytes, mantissa, exponent_bits;  // mantissa: stored bits
};

const FloatingDtype* Floating(const std::string& dtype) {
  static const std::map<std::string, FloatingDtype> known = {
      {"float64", {8, 52, 11}}, {"float32", {4, 23, 8}}, {"bfloat16", {2, 7, 8}}, {"float16", {2, 10, 5}}};
  const auto found = known.find(dtype);
  return found == known.end() ? nullptr : &found->second;
}

int BytesOfInteger(const std::string& dtype) {
  static const std::map<std::string, int> known = {{"int64", 8},  {"uint64", 8}, {"int32", 4},
                                                   {"uint32", 4}, {"int16", 2},  {"uint16", 2},
                                                   {"int8", 1},   {"uint8", 1},  {"bool", 1}};
  if (dtype.starts_with("float8")) return 1;  // its bits are compared, its values are not known here
  const auto found = known.find(dtype);
  if (found == known.end()) throw std::invalid_argument("expected a dtype of torch, got " + dtype);
  return found->second;
}

/// IEEE 754 with these widths.
double FloatingValue(uint64_t bits, const FloatingDtype& f) {
  const uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa) - 1);
  const int biased = static_cast<int>(bits >> f.mantissa & ((uint64_t{1} << f.exponent_bits) - 1));
  const int largest = (1 << f.exponent_bits) - 1, bias = largest / 2;
  const double sign = bits >> (f.mantissa + f.exponent_bits) & 1 ? -1.0 : 1.0;
  if (biased == largest) return mantissa ? std::nan("") : sign * INFINITY;
  const auto significand = static_cast<double>(biased ? mantissa | uint64_t{1} << f.mantissa : mantissa);
  return sign * std::ldexp(significand, (biased ? biased : 1) - bias - f.mantissa);
}

double IntegerValue(uint64_t bits, int bytes, bool is_signed) {
  const int unused = 64 - 8 * bytes;
  return is_signed ? static_cast<double>(static_cast<int64_t>(bits << unused) >> unused) : static_cast<double>(bits);
}

}  // namespace

const char* TensorBits::Take(int64_t count, int64_t size) {
  if (count < 0 || count > left() / size) throw std::invalid_argument("its tensors are shorter than its head says");
  const char* begin = bits_.data();
  bits_.remove_prefix(static_cast<size_t>(count * size));
  return begin;
}

template <typename Value>
std::vector<Value> TensorBits::Values(int64_t count) {
  const char* begin = Take(count, sizeof(Value));
  std::vector<Value> values(static_cast<size_t>(count));
  if (count > 0) std::memcpy(values.data(), begin, values.size() * sizeof(Value));
  return values;
}

std::vector<double> TensorBits::Doubles(int64_t count) { return Values<double>(count); }
std::vector<float> TensorBits::Floats(int64_t count) { return Values<float>(count); }
std::vector<uint64_t> TensorBits::Words(int64_t count) { return Values<uint64_t>(count); }

std::vector<Element> TensorBits::Elements(int64_t count, const std::string& dtype) {
  const FloatingDtype* floating = Floating(dtype);
  const int bytes = floating ? floating->bytes : BytesOfInteger(dtype);
  const char* begin = Take(count, bytes);
  std::vector<Element> elements(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    Element& element = elements[i];
    std::memcpy(&element.bits, begin + i * bytes, bytes);
    element.value =
        floating ? FloatingValue(element.bits, *floating) : IntegerValue(element.bits, bytes, dtype.starts_with("int"));
  }
  return elements;
}

double Rounded(double value, const std::string& dtype) {
  const FloatingDtype* f = Floating(dtype);
  if (!f || f->mantissa == 52 || !std::isfinite(value) || value == 0) return value;
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  const int unit = std::max(std::ilogb(value), 1 - bias) - f->mantissa;  // exponent of the last place
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -f->mantissa), bias);
  return std::abs(rounded) > largest ? std::copysign(INFINITY, value) : rounded;
}

double UnitRoundoff(const std::string& dtype) {
  const FloatingDtype* f = Floating(dtype);
  return f ? std::ldexp(1.0, -f->mantissa - 1) : 0.0;
}

double RoundingNearZero(const std::string& dtype) {
  const FloatingDtype* f = Floating(dtype);
  const int bias = f ? (1 << f->exponent_bits) / 2 - 1 : 0;
  return f ? std::ldexp(1.0, 1 - bias - f->mantissa - 1) : 0.0;
}

}  // namespace zerocts::watch
