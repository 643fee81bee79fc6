/* full_numbers.c: bf16 and the exact sum of squares, by integers. */
#include <math.h>
#include <string.h>

#include "conformance/specimen/full.h"

static uint32_t BitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

size_t ElementBytes(uint32_t dtype) { return dtype == ZEROCTS_BF16 ? sizeof(uint16_t) : sizeof(float); }

float FromBf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

uint16_t ToBf16(float value) {
  if (isnan(value)) return 0x7fc0;
  const uint32_t bits = BitsOf(value);
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static void AddToBin(Squares* squares, uint32_t exponent, uint64_t low, uint64_t high) {
  squares->low[exponent] += low;
  squares->high[exponent] += high + (squares->low[exponent] < low);
}

void AddSquares(Squares* squares, const float* values, int64_t numel) {
  for (int64_t i = 0; i < numel; i++) {
    const uint32_t bits = BitsOf(values[i]), exponent = (bits >> 23) & 0xffu;
    const uint64_t fraction = bits & 0x7fffffu, mantissa = exponent == 0 ? fraction : fraction | 0x800000u;
    AddToBin(squares, exponent, exponent == 255 ? 1 : mantissa * mantissa, 0);
  }
}

void MergeSquares(Squares* squares, const Squares* other) {
  for (uint32_t exponent = 0; exponent < 256; exponent++)
    AddToBin(squares, exponent, other->low[exponent], other->high[exponent]);
}

/* An integer of kWords * 64 bits, wide enough for all bins: 2 * 253 bits of exponent and 128 of a bin. Unit: 2^-298. */
enum { kWords = 11, kUnitExponent = -298 };

static void AddShifted(uint64_t words[kWords], uint64_t value, uint32_t shift) {
  const uint32_t offset = shift % 64;
  uint64_t parts[2] = {value << offset, offset == 0 ? 0 : value >> (64 - offset)}, carry = 0;
  for (uint32_t i = 0; shift / 64 + i < kWords; i++) {
    uint64_t* word = &words[shift / 64 + i];
    const uint64_t part = i < 2 ? parts[i] : 0, sum = *word + part;
    const uint64_t carry_out = (sum < part) | (sum + carry < carry);
    *word = sum + carry;
    carry = carry_out;
  }
}

static uint32_t BitAt(const uint64_t words[kWords], int bit) {
  return bit < 0 ? 0 : (words[bit / 64] >> (bit % 64)) & 1u;
}

/* words * 2^kUnitExponent, rounded once to the nearest double, ties to even. */
static double RoundOnce(const uint64_t words[kWords]) {
  int top = kWords * 64 - 1;
  while (top >= 0 && !BitAt(words, top)) top--;
  uint64_t mantissa = 0;
  for (int bit = top; bit > top - 53; bit--) mantissa = mantissa << 1 | BitAt(words, bit);
  uint32_t sticky = 0;
  for (int bit = top - 54; bit >= 0; bit--) sticky |= BitAt(words, bit);
  mantissa += BitAt(words, top - 53) & (sticky | (uint32_t)(mantissa & 1u));
  return ldexp((double)mantissa, top - 52 + kUnitExponent);
}

float NormOf(const Squares* squares) {
  if (squares->low[255] | squares->high[255]) return NAN;
  uint64_t words[kWords] = {0};
  for (uint32_t exponent = 0; exponent < 255; exponent++) {
    const uint32_t shift = exponent == 0 ? 0 : 2 * (exponent - 1);
    AddShifted(words, squares->low[exponent], shift);
    AddShifted(words, squares->high[exponent], shift + 64);
  }
  return (float)sqrt(RoundOnce(words));
}
