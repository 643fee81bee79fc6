// A matrix as cuBLAS is given it: in the type of the product, and standing in the same way wherever it came from.
#pragma once
#include <cstddef>
#include <optional>

#include "impl/device/cublas/handle.hpp"
#include "impl/device/elementwise_bodies.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts::engine {
namespace bodies {

/// Rows of a matrix elsewhere, dense or not: element n of [rows, columns].
struct CopyRows {
  float* out;
  int64_t out_stride;
  const float* in;
  int64_t in_stride, columns;
  ZEROCTS_INLINE void operator()(int64_t n) const {
    out[n / columns * out_stride + n % columns] = in[n / columns * in_stride + n % columns];
  }
};

struct CastRowsToBf16 {
  const float* in;
  int64_t in_stride, columns;
  ZEROCTS_INLINE Bf16 operator()(int64_t n) const { return ToBf16(in[n / columns * in_stride + n % columns]); }
};

}  // namespace bodies

inline bool StandsAligned(const float* values) {
  return reinterpret_cast<uintptr_t>(values) % CublasHandle::kAlignment == 0;
}

template <typename Grid>
class CublasOperand {
 public:
  /// In place where that will do, else in memory of its own, which lives as long as `this`.
  CublasOperand(Grid& grid, cublas::DataType type, ConstMatrix matrix, int64_t rows, int64_t columns)
      : size_(type == cublas::kBf16 ? sizeof(Bf16) : sizeof(float)), stride_(columns) {
    const int64_t numel = rows * columns;
    if (type == cublas::kBf16) {
      room_.emplace(grid, (numel + 1) / 2);
      auto* narrow = reinterpret_cast<Bf16*>(room_->values());
      if (matrix.stride == columns) {
        grid.Map(narrow, numel, bodies::CastToBf16{matrix.values});  // without a division for every element
      } else {
        grid.Map(narrow, numel, bodies::CastRowsToBf16{matrix.values, matrix.stride, columns});
      }
    } else if (!StandsAligned(matrix.values)) {
      room_.emplace(grid, numel);
      grid.ForEach(numel, bodies::CopyRows{room_->values(), columns, matrix.values, matrix.stride, columns});
    } else {
      stride_ = matrix.stride;
    }
    values_ = reinterpret_cast<const std::byte*>(room_ ? room_->values() : matrix.values);
  }

  int64_t stride() const { return stride_; }
  const void* At(int64_t element) const { return values_ + element * size_; }

 private:
  const int64_t size_;
  int64_t stride_;
  std::optional<typename Grid::Scratch> room_;
  const std::byte* values_;
};

}  // namespace zerocts::engine
