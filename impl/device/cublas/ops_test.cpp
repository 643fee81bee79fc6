// Matrix products through cuBLAS, played by a library of our own: where operands stand, what is asked for, what fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "impl/cuda_on_host/cublas_on_host.hpp"
#include "impl/layout/unimplemented.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::engine {
namespace {

class Cublas : public testing::Test {
 protected:
  void TearDown() override {
    faults_ = {};
    seen_.products = seen_.in_bf16 = seen_.in_tf32 = seen_.misplaced = 0;
  }

  CublasStubFaults& faults_ = *OfCublasStub<CublasStubFaultsOf>(kCublasStubFaultsOf);
  CublasStubSeen& seen_ = *OfCublasStub<CublasStubSeenOf>(kCublasStubSeenOf);
};

template <typename Action>
std::string SentenceOf(const Action& action) {
  try {
    action();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// [rows, columns] of small integers, products and sums of which are exact; `gap` NaN after each row.
struct Integers {
  Integers(int64_t rows, int64_t columns, int64_t gap, int64_t factor, int64_t begin = 0)
      : stride(columns + gap), begin(begin) {
    values.assign(static_cast<size_t>(begin + rows * stride), std::numeric_limits<float>::quiet_NaN());
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) At(i, j) = static_cast<float>((factor * i + 3 * j + i * j) % 17 - 8);
    }
  }
  float& At(int64_t i, int64_t j) { return values[begin + i * stride + j]; }
  ConstMatrix matrix() const { return {values.data() + begin, stride}; }
  Matrix out() { return {values.data() + begin, stride}; }

  int64_t stride, begin;
  std::vector<float> values;
};

struct Shape {
  int64_t M, N, K;
};

enum Kind { kNN, kNT, kTN };

void Multiply(Ops& ops, Kind kind, Matrix c, ConstMatrix a, ConstMatrix b, const Shape& s, Operands operands) {
  if (kind == kNN) ops.GemmNN(c, a, b, s.M, s.N, s.K, operands);
  if (kind == kNT) ops.GemmNT(c, a, b, s.M, s.N, s.K, operands);
  if (kind == kTN) ops.GemmTN(c, a, b, s.M, s.N, s.K, operands);
}

/// All of c, what stands between its rows too, by `ops` and by the definition written out.
void ExpectTheDefinition(Ops& ops, Kind kind, const Shape& s, int64_t gap, int64_t begin, Operands operands) {
  Integers a = kind == kTN ? Integers(s.K, s.M, gap, 5, begin) : Integers(s.M, s.K, gap, 5, begin);
  Integers b = kind == kNT ? Integers(s.N, s.K, gap, 7, begin) : Integers(s.K, s.N, gap, 7, begin);
  Integers got(s.M, s.N, gap, 1, begin), expected = got;
  for (int64_t i = 0; i < s.M; ++i) {
    for (int64_t j = 0; j < s.N; ++j) {
      float& sum = expected.At(i, j) = 0.0f;
      for (int64_t k = 0; k < s.K; ++k)
        sum += (kind == kTN ? a.At(k, i) : a.At(i, k)) * (kind == kNT ? b.At(j, k) : b.At(k, j));
    }
  }
  Multiply(ops, kind, got.out(), a.matrix(), b.matrix(), s, operands);
  for (size_t i = 0; i < got.values.size(); ++i) {
    ASSERT_EQ(CanonicalBits(got.values[i]), CanonicalBits(expected.values[i]))
        << fmt::format("kind {} M {} N {} K {} gap {} element {}", static_cast<int>(kind), s.M, s.N, s.K, gap, i);
  }
}

TEST_F(Cublas, MultipliesRowsAsTheDefinitionDoes) {
  const auto ops = OpsWithStub();
  for (const Kind kind : {kNN, kNT, kTN}) {
    for (const Shape& shape :
         {Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{7, 1, 4}, Shape{1, 9, 3}, Shape{33, 17, 65}, Shape{16, 64, 8}}) {
      for (const int64_t gap : {0, 3}) {
        for (const int64_t begin : {0, 1}) {
          for (const Operands operands : {Operands::kFp32, Operands::kBf16}) {
            ExpectTheDefinition(*ops, kind, shape, gap, begin, operands);
          }
        }
      }
    }
  }
  EXPECT_EQ(seen_.products, 3 * 6 * 2 * 2 * 2);
  EXPECT_EQ(seen_.in_bf16, seen_.products / 2);
  EXPECT_EQ(seen_.in_tf32, 0);
}

TEST_F(Cublas, NothingToSumIsZero) {
  const auto ops = OpsWithStub();
  for (const Kind kind : {kNN, kNT, kTN}) {
    for (const Shape& shape : {Shape{2, 3, 0}, Shape{0, 3, 2}, Shape{2, 0, 3}})
      ExpectTheDefinition(*ops, kind, shape, 1, 0, Operands::kFp32);
  }
  EXPECT_EQ(seen_.products, 0);
}

TEST_F(Cublas, WhereOperandsStandChangesNoBit) {
  const auto ops = OpsWithStub();
  const Shape s{5, 6, 40};
  std::vector<float> results[2];
  for (const int64_t begin : {0, 1}) {
    Integers a(s.M, s.K, 0, 5, begin), b(s.K, s.N, 0, 7, begin), c(s.M, s.N, 0, 1, begin);
    for (float& x : a.values) x /= 3.0f;  // the order of addition shows
    Multiply(*ops, kNN, c.out(), a.matrix(), b.matrix(), s, Operands::kFp32);
    results[begin].assign(c.values.begin() + begin, c.values.end());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(seen_.misplaced, 0);
}

/// Integers that tell samples, rows and channels apart.
std::vector<float> Distinct(int64_t rows, int64_t columns, int64_t modulus) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows * columns; ++i)
    values.push_back(static_cast<float>((i * 7 + i / columns * i % 13) % modulus - modulus / 2));
  return values;
}

/// 1 / sqrt(D) is exact.
constexpr AttentionSizes kTwoHeads{.B = 2, .T = 5, .heads = 2, .C = 8},
    kSixHeadsOverTwo{.B = 2, .T = 5, .heads = 6, .C = 24, .kv_heads = 2};

struct Attention {
  explicit Attention(const AttentionSizes& s)
      : out(s.out_numel()), probabilities(s.squares_numel()), gradient(s.qkv_numel()) {}
  std::vector<float> out, probabilities, gradient;
};

/// By the host's operations, then with products of the stub.
template <typename Run>
void ExpectTheSameOnTheHost(const AttentionSizes& sizes, const Run& run) {
  Attention expected(sizes), got(sizes);
  run(HostOps(), expected);
  run(*OpsWithStub(), got);
  EXPECT_EQ(got.out, expected.out);
  EXPECT_EQ(got.probabilities, expected.probabilities);
  EXPECT_EQ(got.gradient, expected.gradient);
}

TEST_F(Cublas, AttendsAsTheHostDoesWhereProductsAreExact) {
  for (const AttentionSizes& s : {kTwoHeads, kSixHeadsOverTwo}) {
    seen_.products = 0;
    for (const bool narrow : {false, true}) {
      ExpectTheSameOnTheHost(s, [&](Ops& ops, Attention& at) {
        std::vector<float> qkv = Distinct(s.B * s.T, s.row(), 61);
        for (int64_t i = 0; i < std::ssize(qkv); ++i)
          qkv[i] *= i % s.row() < s.C ? 64.0f : 1.0f;  // a softmax of ones and zeros
        ops.CausalAttention(at.out.data(), at.probabilities.data(), qkv.data(), narrow, s);
        EXPECT_NE(at.out, Attention(s).out);
      });
    }
    EXPECT_EQ(seen_.products, 2 * s.B * s.group() * 2);
  }
}

TEST_F(Cublas, GradientsOfAttentionAreTheHostsWhereProductsAreExact) {
  for (const AttentionSizes& s : {kTwoHeads, kSixHeadsOverTwo}) {
    seen_.products = 0;
    for (const bool narrow : {false, true}) {
      ExpectTheSameOnTheHost(s, [&](Ops& ops, Attention& at) {
        const std::vector<float> qkv = Distinct(s.B * s.T, s.row(), 17);
        std::vector<float> upstream = Distinct(s.B * s.T, s.C, 11);
        for (int64_t i = 0; i < std::ssize(at.probabilities); ++i) {
          const int64_t t = i / s.T % s.T, k = i % s.T;
          at.probabilities[i] = k <= t ? std::ldexp(1.0f, static_cast<int>(-1 - (k + i / (s.T * s.T)) % s.T)) : 0.0f;
        }
        ops.CausalAttentionGradient(at.gradient.data(), upstream.data(), qkv.data(), at.probabilities.data(), narrow,
                                    s);
        for (const float x : at.gradient) EXPECT_TRUE(std::isfinite(x));
      });
    }
    EXPECT_EQ(seen_.products, 2 * s.B * s.group() * 4);
  }
}

TEST_F(Cublas, Tf32IsWhatFp32IsComputedInWhenItIsAskedFor) {
  ExpectTheDefinition(*OpsWithStub(cublas::kInTf32), kNN, {2, 3, 4}, 0, 0, Operands::kFp32);
  EXPECT_EQ(seen_.in_tf32, 1);
  ExpectTheDefinition(*OpsWithStub(cublas::kInTf32), kNN, {2, 3, 4}, 0, 0, Operands::kBf16);
  EXPECT_EQ(seen_.in_tf32, 1);
}

TEST_F(Cublas, SaysWhichLibraryItIs) {
  EXPECT_EQ(CublasLibrary({kCublasStub}).name(), fmt::format("cuBLAS 13.2.3 ({})", kCublasStub));
}

TEST_F(Cublas, WhatFailsIsSaidAndNothingIsKept) {
  const CublasLibrary library({kCublasStub});
  std::vector<float> workspace(64);
  for (const char* call :
       {"cublasCreate", "cublasSetStream", "cublasSetWorkspace", "cublasSetMathMode", "cublasSetAtomicsMode"}) {
    faults_ = {.call = call, .status = 13};
    EXPECT_EQ(SentenceOf([&] { CublasHandle(library, nullptr, workspace.data()); }),
              fmt::format("device cuda, math=fast: {}: the stub was told to (code 13)", call));
    EXPECT_EQ(seen_.handles, 0) << call;
  }
  faults_ = {};
  const auto ops = OpsWithStub();
  faults_ = {.call = "cublasGemmStridedBatchedEx", .status = 99};
  EXPECT_EQ(SentenceOf([&] {
              ExpectTheDefinition(*ops, kNN, {2, 3, 4}, 0, 0, Operands::kFp32);
            }),
            "device cuda, math=fast: cublasGemmStridedBatchedEx: no text (code 99)");
}

TEST_F(Cublas, SizesThatTheInterfaceDoesNotHaveAreRefused) {
  const float x = 0;
  EXPECT_EQ(SentenceOf([&] {
              HandleOfStub()->Gemm({nullptr, 1}, {&x, cublas::kPlain, 1}, {&x, cublas::kPlain, 1}, cublas::kFp32,
                                   cublas::kInFp32, int64_t{1} << 31, 1, 1);
            }),
            "device cuda, math=fast: a matrix of 2147483648 rows or columns: expected at most 2^31 - 1");
}

TEST_F(Cublas, LibrariesThatWillNotDoAreRefusedInASentence) {
  const std::string how = "; expected cuBLAS 11 or newer, which ZEROCTS_CUBLAS_LIBRARY can name";
  const auto refusal = [](const std::vector<std::string>& candidates) {
    try {
      CublasLibrary{candidates};
      return std::string("accepted");
    } catch (const Unimplemented& refused) {
      return std::string(refused.what());
    }
  };
  EXPECT_EQ(refusal({"/nowhere/libcublas.so.13"}),
            "device cuda, math=fast: no libcublas.so could be loaded (/nowhere/libcublas.so.13: cannot open shared "
            "object file: No such "
            "file or directory)" +
                how);
  EXPECT_EQ(refusal({"libc.so.6"}), "device cuda, math=fast: libc.so.6 has no function cublasGetProperty" + how);
  faults_.major = 10;
  EXPECT_EQ(refusal({kCublasStub}), fmt::format("device cuda, math=fast: {} is cuBLAS 10.2.3{}", kCublasStub, how));
  faults_ = {.call = "cublasGetProperty", .status = 1};
  EXPECT_EQ(refusal({kCublasStub}),
            fmt::format("device cuda, math=fast: {} does not tell its version{}", kCublasStub, how));
}

TEST(CublasCandidates, AreOneFileWhereItIsNamed) {
  setenv("ZEROCTS_CUBLAS_LIBRARY", "/a/libcublas.so", 1);
  EXPECT_EQ(CublasLibrary::Candidates(), std::vector<std::string>{"/a/libcublas.so"});
  unsetenv("ZEROCTS_CUBLAS_LIBRARY");
  EXPECT_EQ(CublasLibrary::Candidates().back(), "libcublas.so.11");
}

}  // namespace
}  // namespace zerocts::engine
