// Matrix products against the triple loop of the definition, for every kernel table.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

struct Shape {
  int64_t M, N, K;
};

constexpr Shape kShapes[] = {{1, 1, 1},     {1, 1, 7},   {3, 5, 0},   {0, 4, 3},    {4, 0, 3},    {1, 33, 2},
                             {5, 1, 9},     {6, 16, 1},  {7, 17, 5},  {12, 32, 4},  {13, 33, 64}, {11, 31, 3},
                             {25, 65, 100}, {8, 7, 300}, {2, 100, 1}, {61, 67, 129}};

struct Layout {
  const char* name;
  void (Ops::*gemm)(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands);
  bool a_is_transposed, b_is_transposed;
};

const Layout kLayouts[] = {
    {"NN", &Ops::GemmNN, false, false}, {"NT", &Ops::GemmNT, false, true}, {"TN", &Ops::GemmTN, true, false}};

std::vector<float> TripleLoop(const Layout& layout, const std::vector<float>& a, const std::vector<float>& b,
                              Shape shape) {
  const auto [M, N, K] = shape;
  std::vector<float> c(M * N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum = std::fma(layout.a_is_transposed ? a[k * M + i] : a[i * K + k],
                       layout.b_is_transposed ? b[j * K + k] : b[k * N + j], sum);
      }
      c[i * N + j] = sum;
    }
  }
  return c;
}

TEST(Gemm, IsOneChainOfFmasInKOrder) {
  for (const std::string& kernels : HostKernelNames()) {
    for (const Layout& layout : kLayouts) {
      for (const Shape shape : kShapes) {
        for (const auto& floats : {OrdinaryFloats, FiniteFloats, WildFloats}) {
          const std::vector<float> a = floats(shape.M * shape.K, 1), b = floats(shape.K * shape.N, 2);
          std::vector<float> c(shape.M * shape.N, 99.0f);
          const ConstMatrix left{a.data(), layout.a_is_transposed ? shape.M : shape.K};
          const ConstMatrix right{b.data(), layout.b_is_transposed ? shape.K : shape.N};
          (HostOpsWith(kernels).*layout.gemm)({c.data(), shape.N}, left, right, shape.M, shape.N, shape.K,
                                              Operands::kFp32);
          ASSERT_EQ(CanonicalBitsOf(c), CanonicalBitsOf(TripleLoop(layout, a, b, shape)))
              << kernels << " " << layout.name << " " << shape.M << "x" << shape.N << "x" << shape.K;
        }
      }
    }
  }
}

TEST(Gemm, WritesNothingOutsideTheResult) {
  for (const std::string& kernels : HostKernelNames()) {
    for (const Shape shape : kShapes) {
      constexpr int64_t kGuard = 64;
      const std::vector<float> a = OrdinaryFloats(shape.M * shape.K, 1), b = OrdinaryFloats(shape.K * shape.N, 2);
      std::vector<float> c(shape.M * shape.N + 2 * kGuard, 99.0f);
      HostOpsWith(kernels).GemmNN(c.data() + kGuard, a.data(), b.data(), shape.M, shape.N, shape.K);
      for (int64_t i = 0; i < kGuard; ++i) ASSERT_TRUE(c[i] == 99.0f && c[c.size() - 1 - i] == 99.0f) << kernels;
    }
  }
}

}  // namespace
}  // namespace zerocts
