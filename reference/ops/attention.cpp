#include "reference/ops/attention.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "reference/ops/formulas.hpp"

namespace zerocts {
namespace {

constexpr int64_t kVector = 16;  // floats of the widest vector
constexpr int64_t kRows = 48;    // tokens whose scores are in the caches at once

/// A matrix by its two strides, in elements; one of them is 1.
struct Strided {
  const float* values;
  int64_t row_stride, column_stride;

  Strided From(int64_t row) const { return {values + row * row_stride, row_stride, column_stride}; }
};

struct Panels {
  std::vector<float> values;
  int64_t K = 0, columns = 0;
};

/// b[K, columns] as panels of chain_columns columns, each dense, the last padded with zeros.
void Pack(Panels& panels, const KernelTable& kernels, Strided b, int64_t K, int64_t columns) {
  const int64_t width = kernels.layers.chain_columns;
  panels.K = K;
  panels.columns = columns;
  panels.values.resize((columns + width - 1) / width * width * K);
  float* out = panels.values.data();
  for (int64_t first = 0; first < columns; first += width, out += width * K) {
    const float* in = b.values + first * b.column_stride;
    const int64_t used = std::min(width, columns - first);
    if (b.column_stride == 1) {
      kernels.gemm->pack_panel(out, width, in, b.row_stride, used, K);
    } else {
      kernels.gemm->pack_panel_transposed(out, width, in, b.column_stride, used, K);
    }
  }
}

/// The fma chains of c[M, columns], c's rows c_stride apart, over k = begin .. end - 1 of a[M, K] b[K, columns], or
/// over the part of them that `kernel` takes; from +0 or on from what c holds.
void Chains(const LayerKernels& kernels, ChainKernel* kernel, float* c, int64_t c_stride, bool continues, Strided a,
            const Panels& b, int64_t columns, int64_t M, int64_t begin, int64_t end) {
  const int64_t width = kernels.chain_columns;
  for (int64_t first = 0; first < columns; first += width) {
    const float* panel = b.values.data() + first * b.K + begin * width;
    kernel(c + first, c_stride, continues, a.values + begin * a.column_stride, a.row_stride, a.column_stride, panel,
           std::min(width, columns - first), M, end - begin);
  }
}

/// c[rows, columns] = a[rows, K] b[K, columns]
void Multiply(const LayerKernels& kernels, float* c, int64_t c_stride, Strided a, const Panels& b, int64_t columns,
              int64_t rows) {
  Chains(kernels, kernels.chain_panel, c, c_stride, false, a, b, columns, rows, 0, b.K);
}

/// Rows t0 .. t0 + rows - 1 of a lower triangle: c[t, :] = chain over k = 0..t of a[t, k] b[k, :]. a and c begin at t0.
void MultiplyLower(const LayerKernels& kernels, float* c, int64_t c_stride, Strided a, const Panels& b, int64_t t0,
                   int64_t rows) {
  Chains(kernels, kernels.chain_panel_lower, c, c_stride, false, a, b, b.columns, rows, 0, t0);
}

/// The chains c[k, :] of a[t, k] b[t, :] over t >= k, as far as t = t0 .. t0 + rows - 1: those of k < t0 go on, the
/// others begin, or go on too where they `continue` from another head. a's first row is t0.
void ContinueUpper(const LayerKernels& kernels, float* c, int64_t c_stride, bool continues, Strided a, const Panels& b,
                   int64_t t0, int64_t rows) {
  const Strided transposed{a.values - t0 * a.row_stride, a.column_stride, a.row_stride};  // [k, t]
  const int64_t end = t0 + rows;
  Chains(kernels, kernels.chain_panel, c, c_stride, true, transposed, b, b.columns, t0, t0, end);
  Chains(kernels, kernels.chain_panel_upper, c + t0 * c_stride, c_stride, continues, transposed.From(t0), b, b.columns,
         rows, t0, end);
}

/// Scratch of the calling thread: it keeps its memory from head to head.
struct Scratch {
  Panels k, k_transposed, q, v, v_transposed, upstream;
  std::vector<float> p;               // [kRows, T] rounded probabilities
  std::vector<float> score_gradient;  // [kRows, T]
};

Scratch& ThreadScratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// A row of `count` elements is worked in whole vectors as far as its T elements reach.
int64_t Padded(int64_t count, int64_t T) { return std::min((count + kVector - 1) / kVector * kVector, T); }

/// p, or its copy rounded to bf16, as operand of a product.
const float* Operand(const KernelTable& kernels, const AttentionRows& of, std::vector<float>& scratch, const float* p,
                     int64_t rows) {
  if (!of.round_operands) return p;
  scratch.assign(p, p + rows * of.T);
  kernels.round_to_bf16(scratch.data(), rows * of.T);
  return scratch.data();
}

/// Scores p[rows, T] of tokens t0, t0 + 1, .. to probabilities; 0 where a token does not look. Before the
/// exp that is -inf, so that rows are equally long: no bit of the sum.
void Softmax(const KernelTable& kernels, float* p, float scale, int64_t T, int64_t t0, int64_t rows) {
  float largest[kVector], sum[kVector];
  const int64_t width = Padded(t0 + rows, T);
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(p + i * T + t0 + i + 1, p + i * T + width, -std::numeric_limits<float>::infinity());
  }
  kernels.layers.softmax_numerators(p, largest, sum, p, scale, T, rows, width);
  for (int64_t i = 0; i < rows; ++i) {
    float* row = p + i * T;
    kernels.divide(row, sum[i], Padded(t0 + i + 1, T));
    std::fill(row + t0 + i + 1, row + T, 0.0f);
  }
}

/// Gradients of one head of a group, whose k and v stand packed already. The first begins the chains of k's and v's.
void HeadGradient(const KernelTable& kernels, const AttentionRows& of, bool is_first, const GroupGradients& gradients,
                  const float* upstream, const float* q, const float* probabilities) {
  const auto [T, D, row, C, round_operands] = of;
  const LayerKernels& layers = kernels.layers;
  const float scale = formulas::AttentionScale(D);
  Scratch& scratch = ThreadScratch();
  Pack(scratch.q, kernels, {q, row, 1}, T, D);
  Pack(scratch.upstream, kernels, {upstream, C, 1}, T, D);
  scratch.score_gradient.resize(std::min(kRows, T) * T);
  float* ds = scratch.score_gradient.data();

  for (int64_t t0 = 0; t0 < T; t0 += kRows) {
    const int64_t rows = std::min(kRows, T - t0), seen = t0 + rows;
    const float* p = probabilities + t0 * T;
    Multiply(layers, ds, T, {upstream + t0 * C, C, 1}, scratch.v_transposed, seen, rows);
    for (int64_t i = 0; i < rows; ++i) {
      float* of_token = ds + i * T;
      const int64_t count = t0 + i + 1, padded = Padded(count, T);
      std::fill(of_token + count, of_token + padded, 0.0f);  // where p is 0: no bit of the sum
      layers.score_gradients(of_token, p + i * T, scale, padded);
      if (round_operands) kernels.round_to_bf16(of_token, padded);
    }
    MultiplyLower(layers, gradients.q + t0 * row, row, {ds, T, 1}, scratch.k, t0, rows);
    ContinueUpper(layers, gradients.k, row, !is_first, {ds, T, 1}, scratch.q, t0, rows);
    const float* operand = Operand(kernels, of, scratch.p, p, rows);
    ContinueUpper(layers, gradients.v, row, !is_first, {operand, T, 1}, scratch.upstream, t0, rows);
  }
}

}  // namespace

void AttendHead(const KernelTable& kernels, const AttentionRows& of, float* out, float* probabilities, const float* q,
                const KeysAndValues& kv) {
  const int64_t T = of.T, D = of.D, row = of.row, C = of.C;
  const LayerKernels& layers = kernels.layers;
  const float scale = formulas::AttentionScale(D);
  Scratch& scratch = ThreadScratch();
  Pack(scratch.k_transposed, kernels, {kv.k, 1, row}, D, T);
  Pack(scratch.v, kernels, {kv.v, row, 1}, T, D);

  for (int64_t t0 = 0; t0 < T; t0 += kRows) {
    const int64_t rows = std::min(kRows, T - t0), seen = t0 + rows;
    float* p = probabilities + t0 * T;
    Multiply(layers, p, T, {q + t0 * row, row, 1}, scratch.k_transposed, seen, rows);
    for (int64_t i = 0; i < rows; i += kVector) {
      Softmax(kernels, p + i * T, scale, T, t0 + i, std::min(kVector, rows - i));
    }
    const float* operand = Operand(kernels, of, scratch.p, p, rows);
    MultiplyLower(layers, out + t0 * C, C, {operand, T, 1}, scratch.v, t0, rows);
  }
}

void AttendGroupGradient(const KernelTable& kernels, const AttentionRows& of, int64_t heads,
                         const GroupGradients& gradients, const float* upstream, const float* q,
                         const KeysAndValues& kv, const float* probabilities) {
  Scratch& scratch = ThreadScratch();
  Pack(scratch.k, kernels, {kv.k, of.row, 1}, of.T, of.D);
  Pack(scratch.v_transposed, kernels, {kv.v, 1, of.row}, of.D, of.T);
  for (int64_t head = 0; head < heads; ++head) {
    const int64_t column = head * of.D;
    HeadGradient(kernels, of, head == 0, {gradients.q + column, gradients.k, gradients.v}, upstream + column,
                 q + column, probabilities + head * of.T * of.T);
  }
}

}  // namespace zerocts
