#include <fmt/format.h>
#include <xmmintrin.h>

#include <vector>

#include "conformance/host/rank/arithmetic_state.hpp"

namespace zerocts {
namespace {

constexpr uint32_t kStatusBits = 0x3f;  // of MXCSR
constexpr uint32_t kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kRounding = 0x6000, kMasks = 0x1f80;
constexpr uint32_t kX87Rounding = 0x0c00, kX87Precision = 0x0300, kX87Masks = 0x003f;
constexpr const char* kDirections[] = {"to nearest", "downward", "upward", "toward zero"};

uint16_t X87ControlWord() {
  uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}

void SetX87ControlWord(uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); }

std::string Described(const char* name, const std::vector<std::string>& parts, uint32_t before, uint32_t after) {
  return fmt::format("{}: {} ({:#06x} -> {:#06x})", name, fmt::join(parts, ", "), before, after);
}

std::string MxcsrChange(uint32_t before, uint32_t after) {
  const uint32_t changed = before ^ after;
  const auto on_off = [&](uint32_t bit) { return after & bit ? " on" : " off"; };
  std::vector<std::string> parts;
  if (changed & kFlushToZero) parts.push_back(std::string("flush-to-zero") + on_off(kFlushToZero));
  if (changed & kDenormalsAreZero) parts.push_back(std::string("denormals-are-zero") + on_off(kDenormalsAreZero));
  if (changed & kRounding) parts.push_back(std::string("rounding ") + kDirections[(after & kRounding) >> 13]);
  if (changed & kMasks) parts.push_back("other exceptions trap");
  return Described("MXCSR", parts, before, after);
}

std::string X87Change(uint32_t before, uint32_t after) {
  const uint32_t changed = before ^ after;
  std::vector<std::string> parts;
  if (changed & kX87Rounding) parts.push_back(std::string("rounding ") + kDirections[(after & kX87Rounding) >> 10]);
  if (changed & kX87Precision) parts.push_back("another precision");
  if (changed & kX87Masks) parts.push_back("other exceptions trap");
  return Described("x87 control word", parts, before, after);
}

}  // namespace

ArithmeticState CurrentArithmetic() { return {_mm_getcsr() & ~kStatusBits, X87ControlWord()}; }

void SetArithmetic(const ArithmeticState& state) {
  _mm_setcsr(state.vector | (_mm_getcsr() & kStatusBits));
  SetX87ControlWord(static_cast<uint16_t>(state.other));
}

ArithmeticState DefaultArithmetic() { return {0x1f80, 0x037f}; }

std::string DescribeChange(const ArithmeticState& before, const ArithmeticState& after) {
  std::string text;
  if (before.vector != after.vector) text = MxcsrChange(before.vector, after.vector);
  if (before.other != after.other) text += (text.empty() ? "" : "; ") + X87Change(before.other, after.other);
  return text;
}

}  // namespace zerocts
