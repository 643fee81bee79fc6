// Small integers whose sums and means are exact in every order of addition: what the exact gradient sources are made
// of.
//
// A micro-batch gives W * K * code * 2^exponent, so the mean over the W * K micro-batches is the sum of their codes, an
// integer, however one adds and whenever one divides. Codes lie in [1, M]. Then with odd = the odd part of W * K:
//   a partial sum has the significand of odd * (at most W * K * M), below 2^24:       exact in fp32
//   one gradient has the significand of odd * code, at most 256 where that is asked:  representable in bf16
// M is a prime that does not divide W * K. So the means of two elements are equal only when their positions are (modulo
// M): for positions x and y, the difference of the sums is W * K * (x - y) modulo M.
#pragma once
#include <cstdint>

#include "reference/model/model.hpp"

namespace zerocts {

/// M for this many micro-batches; 0 when there is none (the odd part of W * K is too large).
int64_t CodeModulus(int64_t world_size, int64_t micro_batches, Precision precision);

/// Codes of the elements of a flat range: 1 + (position + shift) mod M. The position is the flat index plus a drawn
/// even offset per block of M elements: elements of one block all differ, neighbours differ across blocks too, and
/// blocks are unlike each other.
class ElementCodes {
 public:
  ElementCodes(uint64_t seed, int64_t modulus) : seed_(seed), modulus_(modulus) {}

  /// Calls visit(i, code) for element begin + i, i in [0, numel).
  template <typename Visit>
  void ForEach(int64_t begin, int64_t numel, uint64_t shift, Visit visit) const {
    for (int64_t i = 0; i < numel;) {
      const int64_t block = (begin + i) / modulus_;
      const int64_t end = (block + 1) * modulus_ - begin;
      int64_t code = CodeAt(begin + i, block, shift);
      for (; i < end && i < numel; ++i) {
        visit(i, code);
        code = code == modulus_ ? 1 : code + 1;
      }
    }
  }

 private:
  int64_t CodeAt(int64_t flat_index, int64_t block, uint64_t shift) const;

  uint64_t seed_;
  int64_t modulus_;
};

}  // namespace zerocts
