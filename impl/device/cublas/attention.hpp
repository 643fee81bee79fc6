// Causal attention with cuBLAS's products: whole squares of scores, whose upper half is set to zero in between. Where
// the definition leaves positions beyond t out, here they are multiplied by zero: NaN there is not kept from t.
#pragma once
#include "impl/device/attention_bodies.hpp"
#include "impl/device/cublas/operand.hpp"

namespace zerocts::engine {

template <typename Grid>
class CublasAttention {
 public:
  using Operand = CublasOperand<Grid>;

  /// Products of `type`, computed as `compute` says.
  CublasAttention(Grid& grid, const CublasHandle& handle, cublas::DataType type, cublas::ComputeType compute,
                  const bodies::Heads& heads)
      : grid_(grid), handle_(handle), type_(type), compute_(compute), h_(heads) {}

  /// qkv is rounded already where operands are.
  void Forward(float* out, float* probabilities, const float* qkv) {
    const int64_t T = h_.T, D = h_.D();
    const Operand x = Of(qkv, h_.B * T, h_.row());
    Multiply(probabilities, Squares(), {x, Q()}, {x, K(), cublas::kTransposed}, T, T, D);
    grid_.Teams(rows(), bodies::SoftmaxOfScores{probabilities, h_});
    const Operand p = Of(probabilities, rows(), T);
    Multiply(out, Rows(), {p, Squares()}, {x, V()}, T, D, T);
  }

  /// upstream is rounded already where operands are.
  void Backward(float* qkv_gradient, const float* upstream, const float* qkv, const float* probabilities) {
    const int64_t T = h_.T, D = h_.D();
    const Operand x = Of(qkv, h_.B * T, h_.row()), u = Of(upstream, h_.B * T, h_.C), p = Of(probabilities, rows(), T);
    typename Grid::Scratch gradients(grid_, rows() * T);
    Multiply(gradients.values(), Squares(), {u, Rows()}, {x, V(), cublas::kTransposed}, T, T, D);
    grid_.Teams(rows(), bodies::GradientsOfScores{gradients.values(), probabilities, h_});
    const Operand ds = Of(gradients.values(), rows(), T);
    Multiply(qkv_gradient, Q(), {ds, Squares()}, {x, K()}, T, D, T);
    Multiply(qkv_gradient, K(), {ds, Squares(), cublas::kTransposed}, {x, Q()}, T, D, T);
    Multiply(qkv_gradient, V(), {p, Squares(), cublas::kTransposed}, {u, Rows()}, T, D, T);
  }

 private:
  /// Where the matrices of all heads and samples stand: the first one, its rows, the next head's in a group, the next
  /// group's, the next sample's.
  struct Strides {
    int64_t begin, stride, head, group, sample;
    int64_t Begin(int64_t of_sample, int64_t of_head) const { return begin + of_sample * sample + of_head * head; }
  };
  struct Factor {
    const Operand& values;
    Strides at;
    cublas::Operation operation = cublas::kPlain;
  };

  /// Side by side in rows of `stride`.
  Strides InRows(int64_t begin, int64_t stride) const {
    return {begin, stride, h_.D(), h_.group() * h_.D(), h_.T * stride};
  }
  /// One for all heads of a group.
  Strides Shared(int64_t begin) const { return {begin, h_.row(), 0, h_.D(), h_.T * h_.row()}; }
  Strides Q() const { return InRows(0, h_.row()); }
  Strides K() const { return Shared(h_.C); }
  Strides V() const { return Shared(h_.C + h_.kv_width()); }
  Strides Rows() const { return InRows(0, h_.C); }
  Strides Squares() const {
    const int64_t square = h_.T * h_.T;
    return {0, h_.T, square, h_.group() * square, h_.heads * square};
  }
  int64_t rows() const { return h_.B * h_.heads * h_.T; }

  Operand Of(const float* values, int64_t rows, int64_t columns) {
    return Operand(grid_, type_, {values, columns}, rows, columns);
  }

  /// c[M, N] = a[M, K] b[K, N] for every head of every sample, or their sum over each group where c is shared. What
  /// stands row by row is its transpose column by column.
  void Multiply(float* c, const Strides& at, const Factor& a, const Factor& b, int64_t M, int64_t N, int64_t K) {
    for (int64_t sample = 0; sample < h_.B; ++sample) {
      for (int64_t i = 0; i < h_.group(); ++i) {  // of each group the ith head
        const auto of = [&](const Factor& f) {
          return CublasHandle::Operand{f.values.At(f.at.Begin(sample, i)), f.operation, f.at.stride, f.at.group};
        };
        const auto sum = at.head == 0 && i > 0 ? CublasHandle::kAdded : CublasHandle::kWritten;
        handle_.Gemm({c + at.Begin(sample, i), at.stride, at.group}, of(b), of(a), type_, compute_, N, M, K,
                     h_.kv_heads, sum);
      }
    }
  }

  Grid& grid_;
  const CublasHandle& handle_;
  const cublas::DataType type_;
  const cublas::ComputeType compute_;
  const bodies::Heads h_;
};

}  // namespace zerocts::engine
