// Causal attention, for every kernel table, against the scalar walk of its definition.
#include <gtest/gtest.h>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/layer_walks_for_test.hpp"

namespace zerocts {
namespace {

using walk::AttentionShape;
using walk::Tensor;

/// Lengths around the tiles and the block of tokens of the kernels, widths that fill no vector; heads that share keys
/// and values, all of them or in groups.
constexpr AttentionShape kShapes[] = {{1, 1, 1, 1},    {2, 3, 2, 5},     {1, 17, 3, 8},     {3, 7, 1, 33},
                                      {1, 48, 2, 16},  {2, 49, 1, 4},    {1, 100, 5, 7},    {1, 97, 1, 64},
                                      {1, 1, 3, 2, 1}, {2, 49, 6, 5, 2}, {1, 100, 4, 7, 2}, {2, 13, 5, 16, 1}};

struct Results {
  Tensor out, probabilities, qkv, gradient, upstream;
};

Results Attend(Ops& ops, const AttentionShape& shape, Tensor qkv, Tensor upstream, bool round_operands) {
  Results r{Tensor(shape.out_numel(), 99.0f), Tensor(shape.probabilities_numel(), 99.0f), std::move(qkv),
            Tensor(shape.qkv_numel(), 99.0f), std::move(upstream)};
  const AttentionSizes sizes{shape.B, shape.T, shape.heads, shape.C(), shape.kv_heads};
  ops.CausalAttention(r.out.data(), r.probabilities.data(), r.qkv.data(), round_operands, sizes);
  ops.CausalAttentionGradient(r.gradient.data(), r.upstream.data(), r.qkv.data(), r.probabilities.data(),
                              round_operands, sizes);
  return r;
}

void ExpectTheWalk(const AttentionShape& shape, const Tensor& qkv, const Tensor& upstream, bool round_operands) {
  const walk::Attention expected = walk::CausalAttention(qkv, round_operands, shape);
  const Tensor operands = round_operands ? walk::RoundedTensor(qkv) : qkv;
  const Tensor gradient =
      walk::CausalAttentionGradient(upstream, operands, expected.probabilities, round_operands, shape);
  for (const auto& [kernels, threads] : walk::KernelsAndThreads()) {
    SCOPED_TRACE(kernels + ", " + std::to_string(threads) + " threads, B " + std::to_string(shape.B) + " T " +
                 std::to_string(shape.T) + " heads " + std::to_string(shape.heads) + "/" +
                 std::to_string(shape.kv_heads) + " D " + std::to_string(shape.D) + (round_operands ? ", bf16" : ""));
    const Results r = Attend(HostOpsWith(kernels, threads), shape, qkv, upstream, round_operands);
    ASSERT_EQ(CanonicalBitsOf(r.probabilities), CanonicalBitsOf(expected.probabilities));
    ASSERT_EQ(CanonicalBitsOf(r.out), CanonicalBitsOf(expected.out));
    ASSERT_EQ(CanonicalBitsOf(r.gradient), CanonicalBitsOf(gradient));
    ASSERT_EQ(CanonicalBitsOf(r.qkv), CanonicalBitsOf(operands));
    ASSERT_EQ(CanonicalBitsOf(r.upstream), CanonicalBitsOf(round_operands ? walk::RoundedTensor(upstream) : upstream));
  }
}

TEST(Attention, IsTheWrittenOutWalk) {
  for (const AttentionShape& shape : kShapes) {
    for (const bool round_operands : {false, true}) {
      const Tensor qkv = OrdinaryFloats(shape.qkv_numel(), 1), upstream = OrdinaryFloats(shape.out_numel(), 2);
      ExpectTheWalk(shape, qkv, upstream, round_operands);
    }
  }
}

TEST(Attention, IsTheWalkOfEveryKindOfFloat) {
  for (const AttentionShape& shape : kShapes) {
    for (const auto& floats : {FiniteFloats, WildFloats}) {
      for (const bool round_operands : {false, true}) {
        ExpectTheWalk(shape, floats(shape.qkv_numel(), 1), floats(shape.out_numel(), 2), round_operands);
      }
    }
  }
}

TEST(Attention, RowsOfProbabilitiesSumToOneAndSeeNothingAhead) {
  const AttentionShape shape{1, 53, 2, 8};
  Tensor qkv = OrdinaryFloats(shape.qkv_numel(), 1);
  for (float& x : qkv) x *= 4.0f;
  const Results r = Attend(HostOps(), shape, qkv, OrdinaryFloats(shape.out_numel(), 2), false);
  for (int64_t row = 0; row < shape.heads * shape.T; ++row) {
    const int64_t t = row % shape.T;
    double sum = 0.0;
    for (int64_t k = 0; k < shape.T; ++k) {
      const float p = r.probabilities[row * shape.T + k];
      sum += p;
      if (k > t) {
        ASSERT_EQ(Bits(p), 0u);
      }
    }
    ASSERT_NEAR(sum, 1.0, 1e-6) << row;
  }
}

// Wherever a token stands, those before it have the same bits whatever it holds, NaN and infinity included.
TEST(Attention, NothingOfATokenReachesThoseBefore) {
  const AttentionShape shape{1, 60, 1, 16};
  const int64_t row = 3 * shape.C();
  const Tensor qkv = OrdinaryFloats(shape.qkv_numel(), 1), upstream = OrdinaryFloats(shape.out_numel(), 2);
  for (const std::string& kernels : HostKernelNames()) {
    const Results plain = Attend(HostOpsWith(kernels), shape, qkv, upstream, false);
    for (const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 7.0f}) {
      for (const int64_t t : {1, 12, 47, 48, 59}) {
        Tensor poisoned = qkv;
        std::fill_n(poisoned.begin() + t * row, row, poison);
        const Tensor out = Attend(HostOpsWith(kernels), shape, poisoned, upstream, false).out;
        ASSERT_TRUE(std::equal(out.begin(), out.begin() + t * shape.C(), plain.out.begin())) << kernels << " " << t;
        ASSERT_NE(CanonicalBitsOf(out), CanonicalBitsOf(plain.out));
      }
    }
  }
}

// Heads that share keys and values have the outputs of heads that each have a copy of their own.
TEST(Attention, OfAGroupIsThatOfCopiedKeysAndValues) {
  const AttentionShape shared{2, 31, 6, 5, 2}, copied{2, 31, 6, 5};
  const Tensor qkv = OrdinaryFloats(shared.qkv_numel(), 1), upstream = OrdinaryFloats(shared.out_numel(), 2);
  Tensor own;
  for (int64_t row = 0; row < shared.B * shared.T; ++row) {
    const auto append = [&, in = qkv.data() + row * shared.row()](int64_t head) {
      own.insert(own.end(), in + head * shared.D, in + (head + 1) * shared.D);
    };
    for (int64_t h = 0; h < 6; ++h) append(h);
    for (const int64_t first_kv : {6, 8}) {
      for (const int64_t kv : {0, 0, 0, 1, 1, 1}) append(first_kv + kv);
    }
  }
  const Results of_shared = Attend(HostOps(), shared, qkv, upstream, false),
                of_copied = Attend(HostOps(), copied, own, upstream, false);
  EXPECT_EQ(of_shared.out, of_copied.out);
  EXPECT_EQ(of_shared.probabilities, of_copied.probabilities);
}

/// Without zero terms as the definition says, or with them: p = 0 times a finite v.
float OutputWithZeroTerms(const Tensor& p, const Tensor& v, int64_t t, bool adds_zero_terms) {
  return walk::Chain(
      0, adds_zero_terms ? static_cast<int64_t>(p.size()) : t + 1, [&](int64_t i) { return p[i]; },
      [&](int64_t i) { return v[i]; });
}

// What the header claims about p = 0 beyond t: for finite v it changes no bit of a sum, but for the sign of one that
// underflowed to -0; at the beginning of a chain (dk, dv) it changes none at all.
TEST(Attention, ZeroTermsOfFiniteValuesChangeOnlyTheSignOfZero) {
  constexpr int64_t T = 20;
  int signs_changed = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Tensor p = FiniteFloats(T, 2 * seed), v = FiniteFloats(T, 2 * seed + 1);
    const auto t = static_cast<int64_t>(RandomBelow(seed, 9, 0, T - 1));
    Tensor ahead = p, behind = p;  // zeros after t, zeros before t
    for (int64_t k = t + 1; k < T; ++k) ahead[k] = 0.0f;
    for (int64_t k = 0; k < t; ++k) behind[k] = 0.0f;
    const float without = OutputWithZeroTerms(ahead, v, t, false), with = OutputWithZeroTerms(ahead, v, t, true);
    ASSERT_TRUE(CanonicalBits(without) == CanonicalBits(with) || (without == 0.0f && with == 0.0f)) << seed;
    const auto behind_at = [&](int64_t i) { return behind[i]; };
    const auto v_at = [&](int64_t i) { return v[i]; };
    ASSERT_EQ(CanonicalBits(walk::Chain(0, T, behind_at, v_at)), CanonicalBits(walk::Chain(t, T, behind_at, v_at)));
  }
  const Tensor p = {1e-30f, 0.0f}, v = {-1e-30f, 1.0f};  // -1e-60 underflows to -0; then 0 * 1 = +0 is added
  signs_changed += Bits(OutputWithZeroTerms(p, v, 0, false)) == 0x80000000u;
  signs_changed += Bits(OutputWithZeroTerms(p, v, 0, true)) == 0u;
  EXPECT_EQ(signs_changed, 2);
}

// The case above through the operation: token 1 sees only -0, and the positive v of token 2 must not make it +0.
TEST(Attention, KeepsTheSignOfASumThatUnderflowed) {
  const AttentionShape shape{1, 60, 1, 1};
  Tensor qkv(shape.qkv_numel(), 0.0f);
  for (int64_t t = 0; t < shape.T; ++t) qkv[3 * t + 2] = t < 30 ? -FromBits(1) : 1.0f;  // p <= 1/2 halves it away
  for (const std::string& kernels : HostKernelNames()) {
    const Results r = Attend(HostOpsWith(kernels), shape, qkv, Tensor(shape.out_numel(), 0.0f), false);
    for (int64_t t = 2; t < 30; ++t) ASSERT_EQ(Bits(r.out[t]), 0x80000000u) << kernels << " " << t;
    ASSERT_GT(r.out[30], 0.0f);
  }
}

TEST(Attention, ScaleIsTheNearestFloat) {
  // f is nearest to 1 / sqrt(D) if its neighbouring midpoints m < 1 / sqrt(D) < M, that is m^2 D < 1 < M^2 D. A
  // midpoint is an odd number of half units in the last place: integers decide.
  using Wide = unsigned __int128;
  for (int64_t D = 1; D <= 1 << 16; ++D) {
    const float f = formulas::AttentionScale(D);
    int exponent;
    const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(f, &exponent), 25));  // twice the 24 bits of f
    const int shift = 2 * (25 - exponent);  // f^2 = mantissa^2 / 2^shift
    const auto square = [&](uint64_t m) { return static_cast<Wide>(m) * m * static_cast<uint64_t>(D); };
    ASSERT_LT(square(mantissa - 1), static_cast<Wide>(1) << shift) << D;
    ASSERT_GT(square(mantissa + 1), static_cast<Wide>(1) << shift) << D;
  }
}

}  // namespace
}  // namespace zerocts
