// The operations of reference/ops on a Grid, but matrix products are cuBLAS's: faster, and with bits of their own.
// Equal operands give equal bits all the same: wherever a matrix stands, cuBLAS is given it in the same way.
#pragma once
#include <memory>
#include <optional>

#include "impl/device/cublas/attention.hpp"
#include "impl/device/cublas/operand.hpp"
#include "impl/device/grid_ops.hpp"

namespace zerocts::engine {

template <typename Grid>
class CublasOps final : public GridOps<Grid> {
 public:
  /// Products of fp32 operands are computed as `of_fp32` says; those in bf16 in fp32.
  CublasOps(Grid grid, std::shared_ptr<const CublasHandle> handle, cublas::ComputeType of_fp32)
      : GridOps<Grid>(std::move(grid)), handle_(std::move(handle)), of_fp32_(of_fp32) {}

  void GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    if (M == 0 || N == 0 || K == 0) return GridOps<Grid>::GemmNN(c, a, b, M, N, K, operands);
    Multiply(c, {a, M, K, cublas::kPlain}, {b, K, N, cublas::kPlain}, M, N, K, operands);
  }
  void GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    if (M == 0 || N == 0 || K == 0) return GridOps<Grid>::GemmNT(c, a, b, M, N, K, operands);
    Multiply(c, {a, M, K, cublas::kPlain}, {b, N, K, cublas::kTransposed}, M, N, K, operands);
  }
  void GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    if (M == 0 || N == 0 || K == 0) return GridOps<Grid>::GemmTN(c, a, b, M, N, K, operands);
    Multiply(c, {a, K, M, cublas::kTransposed}, {b, K, N, cublas::kPlain}, M, N, K, operands);
  }

  void CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                       const AttentionSizes& sizes) override {
    if (sizes.out_numel() == 0) return;
    if (round_operands) this->RoundToBf16(qkv, sizes.qkv_numel());
    Attention(round_operands, sizes).Forward(out, probabilities, qkv);
  }
  void CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv, const float* probabilities,
                               bool round_operands, const AttentionSizes& sizes) override {
    if (sizes.out_numel() == 0) return;
    if (round_operands) this->RoundToBf16(upstream, sizes.out_numel());
    Attention(round_operands, sizes).Backward(qkv_gradient, upstream, qkv, probabilities);
  }

 private:
  cublas::DataType TypeOf(bool narrow) const { return narrow ? cublas::kBf16 : cublas::kFp32; }
  cublas::ComputeType ComputeOf(bool narrow) const { return narrow ? cublas::kInFp32 : of_fp32_; }

  CublasAttention<Grid> Attention(bool narrow, const AttentionSizes& sizes) {
    return {this->grid_, *handle_, TypeOf(narrow), ComputeOf(narrow), bodies::Heads{sizes, narrow}};
  }

  struct Source {
    ConstMatrix matrix;
    int64_t rows, columns;  // in memory
    cublas::Operation operation;
  };

  /// What stands row by row is its transpose column by column: c^T = b^T a^T.
  void Multiply(Matrix c, const Source& a, const Source& b, int64_t M, int64_t N, int64_t K, Operands operands) {
    const bool narrow = operands == Operands::kBf16;
    const cublas::DataType type = TypeOf(narrow);
    const CublasOperand<Grid> left(this->grid_, type, a.matrix, a.rows, a.columns),
        right(this->grid_, type, b.matrix, b.rows, b.columns);
    std::optional<typename Grid::Scratch> room;
    if (!StandsAligned(c.values)) room.emplace(this->grid_, M * N);
    handle_->Gemm(room ? CublasHandle::Result{room->values(), N} : CublasHandle::Result{c.values, c.stride},
                  {right.At(0), b.operation, right.stride()}, {left.At(0), a.operation, left.stride()}, type,
                  ComputeOf(narrow), N, M, K);
    if (room) this->grid_.ForEach(M * N, bodies::CopyRows{c.values, c.stride, room->values(), N, N});
  }

  const std::shared_ptr<const CublasHandle> handle_;
  const cublas::ComputeType of_fp32_;
};

}  // namespace zerocts::engine
