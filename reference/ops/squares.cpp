// Values of one tensor have few exponents: chunk by chunk those within 2^20 of the largest are added in a window of two
// integers; what is smaller is put aside and takes the slow way, and so do infinities and NaN.
#include "reference/ops/squares.hpp"

#include <algorithm>

namespace zerocts {
namespace {

constexpr int64_t kChunk = WindowSums::kValues;  // read twice, so they stay in the first cache
constexpr int64_t kPiece = 128;
constexpr int32_t kNotFinite = 255;

/// Values for the slow way, many at once.
class Aside {
 public:
  explicit Aside(SumOfSquares* accumulator) : accumulator_(accumulator) {}
  ~Aside() { accumulator_->Add(values_, count_); }

  void Put(float value) {
    if (count_ == kChunk) {
      accumulator_->Add(values_, count_);
      count_ = 0;
    }
    values_[count_++] = value;
  }

 private:
  SumOfSquares* accumulator_;
  int64_t count_ = 0;
  float values_[kChunk];
};

/// Puts values with exponents below `base` aside; there are few, and most pieces have none.
void PutBelow(const KernelTable& kernels, Aside& aside, const float* in, int64_t numel, int32_t base) {
  for (int64_t begin = 0; begin < numel; begin += kPiece) {
    const int64_t end = std::min(begin + kPiece, numel);
    if (kernels.exponents(in + begin, end - begin).smallest >= base) continue;
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t size = Bits(in[i]) & 0x7fffffffu;
      if (size != 0 && static_cast<int32_t>(size >> 23) < base) aside.Put(in[i]);
    }
  }
}

void AddChunk(const KernelTable& kernels, SumOfSquares* accumulator, Aside& aside, const float* in, int64_t numel) {
  const BiasedExponents range = kernels.exponents(in, numel);
  if (range.largest == kNotFinite) {
    accumulator->Add(in, numel);
    return;
  }
  const int32_t base = std::max(range.largest - WindowSums::kExponents + 1, 1);  // subnormals are never inside
  const WindowSums sums = kernels.window_squares(in, numel, base);
  accumulator->AddSum(base, sums.low);
  accumulator->AddSum(base + WindowSums::kExponents - 1, sums.high);
  if (range.smallest < base) PutBelow(kernels, aside, in, numel, base);
}

}  // namespace

void AddSquares(const KernelTable& kernels, SumOfSquares* accumulator, const float* in, int64_t numel) {
  Aside aside(accumulator);
  for (int64_t begin = 0; begin < numel; begin += kChunk) {
    AddChunk(kernels, accumulator, aside, in + begin, std::min(kChunk, numel - begin));
  }
}

}  // namespace zerocts
