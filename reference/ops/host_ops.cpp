// Operations on host memory, composed of the kernels of one instruction set; and which instruction set.
#include "reference/ops/host_ops.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

#include "reference/numerics/elementary.hpp"
#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {
namespace {

constexpr int64_t kFoldBlock = 1024;  // elements; a fold works block by block, so partial sums stay in the first cache

/// Stateless apart from scratch of the calling thread, so ranks that are threads share one object.
class KernelOps final : public Ops {
 public:
  explicit KernelOps(const KernelTable& kernels) : kernels_(kernels) {}

  void Copy(void* out, const void* in, int64_t bytes) override {
    if (bytes > 0) std::memmove(out, in, bytes);
  }
  void Fill(float* out, float value, int64_t numel) override { std::fill_n(out, numel, value); }

  void CastToFloat(float* out, const Bf16* in, int64_t numel) override { kernels_.cast_to_float(out, in, numel); }
  void CastToBf16(Bf16* out, const float* in, int64_t numel) override { kernels_.cast_to_bf16(out, in, numel); }
  void RoundToBf16(float* inout, int64_t numel) override { kernels_.round_to_bf16(inout, numel); }
  void Add(float* inout, const float* in, int64_t numel) override { kernels_.add(inout, in, numel); }
  void Divide(float* inout, float divisor, int64_t numel) override { kernels_.divide(inout, divisor, numel); }

  void FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                  int64_t numel) override {
    for (int64_t begin = 0; begin < numel; begin += kFoldBlock) {
      const int64_t count = std::min(kFoldBlock, numel - begin);
      float block[kFoldBlock];  // not `out`, which may be a leaf that is still needed
      FoldBlock(block, fold, leaves, begin, count);
      if (divisor != 1.0f) kernels_.divide(block, divisor, count);
      std::copy_n(block, count, out + begin);
    }
  }

  void AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) override { accumulator->Add(in, numel); }
  void AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) override {
    accumulator->Add(in, numel);
  }

  void Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) override {
    kernels_.sgd(s, master, momentum, gradient, numel);
  }
  void AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
             int64_t numel) override {
    kernels_.adamw(s, master, exp_avg, exp_avg_sq, gradient, numel);
  }
  void Scale(float* inout, float factor, int64_t numel) override { kernels_.scale(inout, factor, numel); }
  void Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
            const float* gradient, int64_t numel) override {
    kernels_.adam(f, s, master, exp_avg, exp_avg_sq, gradient, numel);
  }
  void LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights, SumOfSquares* updates,
                   const float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                   int64_t numel) override {
    constexpr int64_t kBlock = 4096;  // elements whose updates stay in the first cache until they are squared
    float block[kBlock];
    for (int64_t begin = 0; begin < numel; begin += kBlock) {
      const int64_t count = std::min(kBlock, numel - begin);
      kernels_.lamb_moments(f, s, block, master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin, count);
      updates->Add(block, count);
    }
    weights->Add(master, numel);
  }
  void LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master, const float* exp_avg,
                 const float* exp_avg_sq, int64_t numel) override {
    kernels_.lamb_apply(f, s, step, master, exp_avg, exp_avg_sq, numel);
  }
  void MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                   const float* gradient, int64_t numel) override {
    kernels_.momentum_sgd(f, s, master, momentum, gradient, numel);
  }

  void GemmNN(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K) override {
    Gemm(c, {a, K, 1}, {b, N, 1}, M, N, K);
  }
  void GemmNT(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K) override {
    Gemm(c, {a, K, 1}, {b, 1, K}, M, N, K);
  }
  void GemmTN(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K) override {
    Gemm(c, {a, 1, M}, {b, N, 1}, M, N, K);
  }

  void AddBias(float* inout, const float* bias, int64_t B, int64_t C) override {
    for (int64_t b = 0; b < B; ++b) kernels_.add(inout + b * C, bias, C);
  }
  void BiasGradient(float* out, const float* upstream, int64_t B, int64_t C) override {
    for (int64_t c = 0; c < C; ++c) out[c] = LaneTreeSum(upstream + c, B, C);
  }
  void Gelu(float* out, const float* in, int64_t numel) override { kernels_.gelu(out, in, numel); }
  void GeluGradient(float* out, const float* in, const float* upstream, int64_t numel) override {
    kernels_.gelu_gradient(out, in, upstream, numel);
  }

  void Embed(float* out, const float* table, const int32_t* tokens, int64_t B, int64_t T, int64_t C) override {
    for (int64_t i = 0; i < B * T; ++i) std::copy_n(table + tokens[i] * C, C, out + i * C);
  }
  void EmbedGradient(float* table_gradient, const float* upstream, const int32_t* tokens, int64_t B, int64_t T,
                     int64_t C, int64_t V) override {
    Fill(table_gradient, 0.0f, V * C);
    for (int64_t i = 0; i < B * T; ++i) kernels_.add(table_gradient + tokens[i] * C, upstream + i * C, C);
  }

  void SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets, int64_t B,
                           int64_t V) override {
    const auto batch = static_cast<float>(B);
    for (int64_t b = 0; b < B; ++b) loss[b] = SoftmaxRow(upstream + b * V, logits + b * V, targets[b], batch, V);
  }

 private:
  /// A matrix by its two strides, in elements.
  struct Strided {
    const float* values;
    int64_t row_stride, column_stride;
  };

  void FoldBlock(float* block, const Fold& fold, std::span<const float* const> leaves, int64_t begin, int64_t count) {
    if (fold.leaf >= 0) {
      std::copy_n(leaves[fold.leaf] + begin, count, block);
      return;
    }
    const auto round = [&] {
      if (fold.rounding == Rounding::kBf16) kernels_.round_to_bf16(block, count);
    };
    FoldBlock(block, fold.children.front(), leaves, begin, count);
    round();
    for (size_t i = 1; i < fold.children.size(); ++i) {
      AddFold(block, fold.children[i], leaves, begin, count);
      round();
    }
  }

  void AddFold(float* block, const Fold& child, std::span<const float* const> leaves, int64_t begin, int64_t count) {
    if (child.leaf >= 0) {
      kernels_.add(block, leaves[child.leaf] + begin, count);
      return;
    }
    float addend[kFoldBlock];
    FoldBlock(addend, child, leaves, begin, count);
    kernels_.add(block, addend, count);
  }

  /// Column panel by column panel: pack b[K, columns] densely, padded with zeros, then one pass over the rows of a.
  void Gemm(float* c, Strided a, Strided b, int64_t M, int64_t N, int64_t K) {
    static thread_local std::vector<float> panel;
    const int64_t width = kernels_.panel_columns;
    panel.resize(K * width);
    for (int64_t begin = 0; begin < N; begin += width) {
      const int64_t columns = std::min(width, N - begin);
      Pack(panel.data(), {b.values + begin * b.column_stride, b.row_stride, b.column_stride}, K, columns, width);
      kernels_.gemm_panel(c + begin, N, a.values, a.row_stride, a.column_stride, panel.data(), columns, M, K);
    }
  }

  static void Pack(float* panel, Strided b, int64_t K, int64_t columns, int64_t width) {
    for (int64_t k = 0; k < K; ++k) {
      float* row = panel + k * width;
      for (int64_t j = 0; j < columns; ++j) row[j] = b.values[k * b.row_stride + j * b.column_stride];
      std::fill(row + columns, row + width, 0.0f);
    }
  }

  /// The loss; `upstream` may be `logits`. It holds the numerators until the sum is known.
  float SoftmaxRow(float* upstream, const float* logits, int32_t target, float batch, int64_t V) {
    const float target_logit = logits[target];
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t v = 0; v < V; ++v) largest = logits[v] > largest ? logits[v] : largest;
    kernels_.softmax_numerators(upstream, logits, largest, V);
    const float sum = LaneTreeSum(upstream, V);
    const float target_gradient = formulas::SoftmaxGradient(upstream[target], sum, 1.0f, batch);
    kernels_.softmax_gradients(upstream, sum, batch, V);
    upstream[target] = target_gradient;
    return (largest + Log(sum)) - target_logit;
  }

  const KernelTable& kernels_;
};

struct Backend {
  const char* name;
  std::unique_ptr<KernelOps> ops;
};

/// Made at the first call and never destroyed: ranks may still compute while the process ends.
const std::vector<Backend>& Backends() {
  static const auto& backends = *[] {
    auto* all = new std::vector<Backend>;
    for (const KernelTable* table : RunnableKernels()) {
      all->push_back({table->name, std::make_unique<KernelOps>(*table)});
    }
    return all;
  }();
  return backends;
}

KernelOps* FindOps(const std::string& kernel_name) {
  for (const Backend& backend : Backends()) {
    if (kernel_name == backend.name) return backend.ops.get();
  }
  return nullptr;
}

std::string Choices() {
  std::string names;
  for (const Backend& backend : Backends()) names += (names.empty() ? "" : ", ") + std::string(backend.name);
  return "this build on this CPU has: " + names;
}

}  // namespace

std::vector<std::string> HostKernelNames() {
  std::vector<std::string> names;
  for (const Backend& backend : Backends()) names.emplace_back(backend.name);
  return names;
}

Ops& HostOpsWith(const std::string& kernel_name) {
  if (KernelOps* ops = FindOps(kernel_name)) return *ops;
  throw std::invalid_argument("no host kernels named '" + kernel_name + "'; " + Choices());
}

std::string ChosenHostKernels() {
  const char* name = std::getenv("ZEROCTS_KERNELS");
  if (name == nullptr || *name == '\0') return Backends().back().name;
  if (FindOps(name) != nullptr) return name;
  throw std::invalid_argument("ZEROCTS_KERNELS names no host kernels: '" + std::string(name) + "'; " + Choices());
}

Ops& HostOps() {
  static Ops& chosen = HostOpsWith(ChosenHostKernels());
  return chosen;
}

}  // namespace zerocts
