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

  /// B samples of `heads`; products of `type`, computed as `compute` says.
  CublasAttention(Grid& grid, const CublasHandle& handle, cublas::DataType type, cublas::ComputeType compute,
                  const bodies::Heads& heads, int64_t B)
      : grid_(grid), handle_(handle), type_(type), compute_(compute), h_(heads), B_(B) {}

  /// qkv is rounded already where operands are.
  void Forward(float* out, float* probabilities, const float* qkv) {
    const int64_t T = h_.T, D = h_.D();
    const Operand x = Of(qkv, B_ * T, 3 * h_.C);
    Multiply(probabilities, Squares(), {x, Q()}, {x, K(), cublas::kTransposed}, T, T, D);
    grid_.Teams(rows(), bodies::SoftmaxOfScores{probabilities, h_});
    const Operand p = Of(probabilities, rows(), T);
    Multiply(out, Rows(), {p, Squares()}, {x, V()}, T, D, T);
  }

  /// upstream is rounded already where operands are.
  void Backward(float* qkv_gradient, const float* upstream, const float* qkv, const float* probabilities) {
    const int64_t T = h_.T, D = h_.D();
    const Operand x = Of(qkv, B_ * T, 3 * h_.C), u = Of(upstream, B_ * T, h_.C), p = Of(probabilities, rows(), T);
    typename Grid::Scratch gradients(grid_, rows() * T);
    Multiply(gradients.values(), Squares(), {u, Rows()}, {x, V(), cublas::kTransposed}, T, T, D);
    grid_.Teams(rows(), bodies::GradientsOfScores{gradients.values(), probabilities, h_});
    const Operand ds = Of(gradients.values(), rows(), T);
    Multiply(qkv_gradient, Q(), {ds, Squares()}, {x, K()}, T, D, T);
    Multiply(qkv_gradient, K(), {ds, Squares(), cublas::kTransposed}, {x, Q()}, T, D, T);
    Multiply(qkv_gradient, V(), {p, Squares(), cublas::kTransposed}, {u, Rows()}, T, D, T);
  }

 private:
  /// Where the matrices of all heads and samples stand: the first one, its rows, the next head's, the next sample's.
  struct Places {
    int64_t begin, stride, head, sample;
  };
  struct Factor {
    const Operand& values;
    Places at;
    cublas::Operation operation = cublas::kPlain;
  };

  Places PartOfQkv(int64_t part) const { return {part * h_.C, 3 * h_.C, h_.D(), h_.T * 3 * h_.C}; }
  Places Q() const { return PartOfQkv(0); }
  Places K() const { return PartOfQkv(1); }
  Places V() const { return PartOfQkv(2); }
  Places Rows() const { return {0, h_.C, h_.D(), h_.T * h_.C}; }
  Places Squares() const { return {0, h_.T, h_.T * h_.T, h_.heads * h_.T * h_.T}; }
  int64_t rows() const { return B_ * h_.heads * h_.T; }

  Operand Of(const float* values, int64_t rows, int64_t columns) {
    return Operand(grid_, type_, {values, columns}, rows, columns);
  }

  /// c[M, N] = a[M, K] b[K, N] for every head of every sample. What stands row by row is its transpose column by
  /// column.
  void Multiply(float* c, const Places& at, const Factor& a, const Factor& b, int64_t M, int64_t N, int64_t K) {
    for (int64_t sample = 0; sample < B_; ++sample) {
      const auto of = [&](const Factor& f) {
        return CublasHandle::Operand{f.values.At(f.at.begin + sample * f.at.sample), f.operation, f.at.stride,
                                     f.at.head};
      };
      handle_.Gemm({c + at.begin + sample * at.sample, at.stride, at.head}, of(b), of(a), type_, compute_, N, M, K,
                   h_.heads);
    }
  }

  Grid& grid_;
  const CublasHandle& handle_;
  const cublas::DataType type_;
  const cublas::ComputeType compute_;
  const bodies::Heads h_;
  const int64_t B_;
};

}  // namespace zerocts::engine
