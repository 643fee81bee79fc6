// Matrix products against the triple loop of the definition: every kernel table, layout, stride and number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

struct Shape {
  int64_t M, N, K;
};

constexpr Shape kSmallShapes[] = {{1, 1, 1},     {1, 1, 7},   {3, 5, 0},   {0, 4, 3},     {4, 0, 3},    {1, 33, 2},
                                  {5, 1, 9},     {6, 16, 1},  {7, 17, 5},  {12, 32, 4},   {13, 33, 64}, {11, 31, 3},
                                  {25, 65, 100}, {8, 7, 300}, {2, 100, 1}, {61, 67, 129}, {15, 48, 33}, {29, 16, 40}};
// Several blocks of k (384 words, so 768 elements in pairs) and of columns (512 or 768); packed and unpacked operands;
// more tiles of a than are packed at once.
constexpr Shape kBlockedShapes[] = {{17, 40, 1601}, {45, 33, 799}, {44, 101, 385}, {3, 1100, 20},
                                    {50, 530, 9},   {47, 1541, 2}, {239, 101, 387}};
// Enough work for several threads: cut along rows, along columns, both ways.
constexpr Shape kSharedShapes[] = {{300, 71, 67}, {9, 1203, 131}, {129, 131, 67}};

struct Layout {
  const char* name;
  void (Ops::*gemm)(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands);
  bool a_is_transposed, b_is_transposed;
};

const Layout kLayouts[] = {
    {"NN", &Ops::GemmNN, false, false}, {"NT", &Ops::GemmNT, false, true}, {"TN", &Ops::GemmTN, true, false}};

/// Operands whose rows are `padding` elements longer than they must be.
struct Problem {
  Layout layout;
  Shape shape;
  int64_t a_stride, b_stride, c_stride;
  std::vector<float> a, b;

  template <typename Floats>
  Problem(const Layout& l, Shape s, int64_t padding, const Floats& floats)
      : layout(l),
        shape(s),
        a_stride((l.a_is_transposed ? s.M : s.K) + padding),
        b_stride((l.b_is_transposed ? s.K : s.N) + padding),
        c_stride(s.N + padding),
        a(floats(a_stride * (l.a_is_transposed ? s.K : s.M), 1)),
        b(floats(b_stride * (l.b_is_transposed ? s.N : s.K), 2)) {}

  float A(int64_t i, int64_t k) const { return layout.a_is_transposed ? a[k * a_stride + i] : a[i * a_stride + k]; }
  float B(int64_t k, int64_t j) const { return layout.b_is_transposed ? b[j * b_stride + k] : b[k * b_stride + j]; }

  static constexpr float kUntouched = 99.0f;

  /// [M, c_stride], the ends of rows untouched.
  std::vector<uint32_t> TripleLoop() const {
    std::vector<float> c(shape.M * c_stride, kUntouched);
    for (int64_t i = 0; i < shape.M; ++i) {
      for (int64_t j = 0; j < shape.N; ++j) {
        float sum = 0.0f;
        for (int64_t k = 0; k < shape.K; ++k) sum = std::fma(A(i, k), B(k, j), sum);
        c[i * c_stride + j] = sum;
      }
    }
    return CanonicalBitsOf(c);
  }

  std::vector<uint32_t> Product(Ops& ops, Operands operands) const { return ProductWith(b.data(), ops, operands); }

  std::vector<uint32_t> ProductWith(const float* b_values, Ops& ops, Operands operands) const {
    std::vector<float> c(shape.M * c_stride, kUntouched);
    const auto [M, N, K] = shape;
    (ops.*layout.gemm)({c.data(), c_stride}, {a.data(), a_stride}, {b_values, b_stride}, M, N, K, operands);
    return CanonicalBitsOf(c);
  }

  std::string Text() const {
    return std::string(layout.name) + " " + std::to_string(shape.M) + "x" + std::to_string(shape.N) + "x" +
           std::to_string(shape.K) + " strides " + std::to_string(a_stride) + ", " + std::to_string(b_stride);
  }
};

void ExpectTripleLoop(const Problem& problem, Operands operands, std::initializer_list<int> threads) {
  const std::vector<uint32_t> expected = problem.TripleLoop();
  for (const std::string& kernels : HostKernelNames()) {
    for (const int count : threads) {
      ASSERT_EQ(problem.Product(HostOpsWith(kernels, count), operands), expected)
          << kernels << " " << problem.Text() << ", " << count << " threads";
    }
  }
}

TEST(Gemm, IsOneChainOfFmasInKOrder) {
  for (const Layout& layout : kLayouts) {
    for (const Shape shape : kSmallShapes) {
      for (const int64_t padding : {0, 3}) {
        for (const auto& floats : {OrdinaryFloats, FiniteFloats, WildFloats}) {
          ExpectTripleLoop(Problem(layout, shape, padding, floats), Operands::kFp32, {1});
        }
      }
    }
  }
}

TEST(Gemm, ContinuesChainsOverBlocks) {
  for (const Layout& layout : kLayouts) {
    for (const Shape shape : kBlockedShapes) {
      for (const auto& floats : {OrdinaryFloats, FiniteFloats}) {
        ExpectTripleLoop(Problem(layout, shape, 1, floats), Operands::kFp32, {1});
      }
    }
  }
}

// Many rows, few columns, rows of b in whole cache lines: this b is not packed when it begins with a line, too.
TEST(Gemm, ReadsAnAlignedOperandWhereItStands) {
  constexpr int64_t kLine = 16;
  for (const Layout& layout : {kLayouts[0], kLayouts[2]}) {
    for (const Shape shape : {Shape{61, 52, 129}, Shape{47, 100, 33}, Shape{90, 36, 401}, Shape{43, 84, 5}}) {
      const Problem problem(layout, shape, 12, FiniteFloats);
      ASSERT_EQ(problem.b_stride % kLine, 0);
      std::vector<float> copy(problem.b.size() + kLine);
      float* aligned = copy.data();
      while (reinterpret_cast<uintptr_t>(aligned) % (kLine * sizeof(float)) != 0) ++aligned;
      std::ranges::copy(problem.b, aligned);
      for (const std::string& kernels : HostKernelNames()) {
        for (const int threads : {1, 2}) {
          ASSERT_EQ(problem.ProductWith(aligned, HostOpsWith(kernels, threads), Operands::kFp32), problem.TripleLoop())
              << kernels << " " << problem.Text() << ", " << threads << " threads";
        }
      }
    }
  }
}

TEST(Gemm, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Layout& layout : kLayouts) {
    for (const Shape shape : kSharedShapes) {
      ExpectTripleLoop(Problem(layout, shape, 5, OrdinaryFloats), Operands::kFp32, {1, 2, 3, 4});
    }
  }
}

TEST(Gemm, WritesNothingOutsideTheResult) {
  constexpr int64_t kGuard = 64;
  for (const std::string& kernels : HostKernelNames()) {
    for (const Shape shape : kSmallShapes) {
      const std::vector<float> a = OrdinaryFloats(shape.M * shape.K, 1), b = OrdinaryFloats(shape.K * shape.N, 2);
      std::vector<float> c(shape.M * shape.N + 2 * kGuard, 99.0f);
      HostOpsWith(kernels).GemmNN(c.data() + kGuard, a.data(), b.data(), shape.M, shape.N, shape.K);
      for (int64_t i = 0; i < kGuard; ++i) ASSERT_TRUE(c[i] == 99.0f && c[c.size() - 1 - i] == 99.0f) << kernels;
    }
  }
}

// --- bf16 operands

std::vector<float> Narrowed(std::vector<float> values) {
  for (float& x : values) x = RoundToBf16(x);
  return values;
}
std::vector<float> OrdinaryBf16(int64_t count, uint64_t seed) { return Narrowed(OrdinaryFloats(count, seed)); }
std::vector<float> FiniteBf16(int64_t count, uint64_t seed) { return Narrowed(FiniteFloats(count, seed)); }
std::vector<float> WildBf16(int64_t count, uint64_t seed) { return Narrowed(WildFloats(count, seed)); }

/// Any sign and mantissa, one in eight is a zero, biased exponents in [smallest, smallest + count).
auto Bf16WithExponents(int smallest, int count) {
  return [=](int64_t numel, uint64_t seed) {
    std::vector<float> values(numel);
    for (int64_t i = 0; i < numel; ++i) {
      const uint64_t bits = RandomBits(seed, 4, i);
      const auto exponent = static_cast<uint32_t>(smallest + static_cast<int>((bits >> 32) % count));
      const uint32_t sign_and_mantissa = static_cast<uint32_t>(bits) & 0x807f0000u;
      values[i] = FromBits((bits >> 60) % 8 == 0 ? bits & 0x80000000u : sign_and_mantissa | exponent << 23);
    }
    return values;
  };
}

TEST(GemmOfBf16, IsOneChainOfFmasInKOrder) {
  for (const Layout& layout : kLayouts) {
    for (const Shape shape : kSmallShapes) {
      for (const auto& floats : {OrdinaryBf16, FiniteBf16, WildBf16}) {
        ExpectTripleLoop(Problem(layout, shape, 3, floats), Operands::kBf16, {1});
      }
    }
    for (const Shape shape : kBlockedShapes) {
      ExpectTripleLoop(Problem(layout, shape, 1, OrdinaryBf16), Operands::kBf16, {1});
    }
    ExpectTripleLoop(Problem(layout, kSharedShapes[0], 5, OrdinaryBf16), Operands::kBf16, {1, 2, 3, 4});
  }
}

TEST(GemmOfBf16, KeepsSubnormalSumsAndOperands) {
  // Smallest exponents that add up to 142, where sums are never subnormal, and to less, where they are.
  for (const int smallest : {1, 40, 60, 65, 69, 70, 71, 72, 80}) {
    for (const int count : {1, 3, 12}) {
      for (const Layout& layout : kLayouts) {
        ExpectTripleLoop(Problem(layout, {31, 33, 301}, 0, Bf16WithExponents(smallest, count)), Operands::kBf16, {1});
      }
    }
  }
}

TEST(GemmOfBf16, OverflowsWhereTheChainDoes) {
  for (const int smallest : {180, 188, 189, 190, 243}) {
    ExpectTripleLoop(Problem(kLayouts[0], {31, 33, 301}, 0, Bf16WithExponents(smallest, 11)), Operands::kBf16, {1});
  }
}

TEST(GemmOfBf16, OneSmallElementIsSeenInAnyBlock) {
  // 0x1p-70 squared is 2^-140: only where it meets itself, in the last row and column, is a sum subnormal.
  constexpr Shape kShape{40, 530, 801};
  for (const int64_t k : {0, 500, 800}) {
    const Problem problem(kLayouts[1], kShape, 0, [k](int64_t numel, uint64_t) {
      std::vector<float> values(numel, 0.0f);
      values[numel - kShape.K + k] = 0x1p-70f;
      return values;
    });
    const std::vector<uint32_t> c = problem.TripleLoop();
    ASSERT_EQ(std::count(c.begin(), c.end(), Bits(0x1p-140f)), 1);
    ExpectTripleLoop(problem, Operands::kBf16, {1});
  }
}

TEST(GemmOfBf16, TheSmallestDifferenceOfProductsIsNotLost) {
  // x x - y 1 = 2^-14, scaled by the exponents: with 142 it is the smallest normal number, with 141 it is subnormal.
  constexpr float x = 1.0f + 0x1p-7f, y = -1.0f - 0x1p-6f;
  for (const int exponents : {140, 141, 142, 143}) {
    const Problem problem(kLayouts[0], {1, 1, 2}, 0, [&](int64_t, uint64_t seed) {
      const bool is_a = seed == 1;
      const float scale = std::ldexp(1.0f, (is_a ? 70 : exponents - 70) - 127);
      return std::vector<float>{x * scale, (is_a ? y : 1.0f) * scale};
    });
    ASSERT_EQ(problem.TripleLoop().front(), Bits(std::ldexp(1.0f, exponents - 254 - 14)));
    ExpectTripleLoop(problem, Operands::kBf16, {1});
  }
}

}  // namespace
}  // namespace zerocts
