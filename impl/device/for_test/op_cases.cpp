#include "impl/device/for_test/op_cases.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts::engine {
namespace {

using M = const OpMemory&;

template <typename T>
OpBuffer BufferOf(OpBuffer::Kind kind, const std::vector<T>& values) {
  OpBuffer buffer{kind, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
  return buffer;
}
OpBuffer Floats(const std::vector<float>& values) { return BufferOf(OpBuffer::kFloats, values); }
OpBuffer Ordinary(int64_t numel, uint64_t seed) { return Floats(OrdinaryFloats(numel, seed)); }
OpBuffer Wild(int64_t numel, uint64_t seed) { return Floats(WildFloats(numel, seed)); }
OpBuffer Finite(int64_t numel, uint64_t seed) { return Floats(FiniteFloats(numel, seed)); }
OpBuffer Fresh(int64_t numel) { return Floats(std::vector<float>(numel, FromBits(0xffffffffu))); }
OpBuffer Squared(int64_t numel, uint64_t seed) {
  std::vector<float> values = OrdinaryFloats(numel, seed);
  for (float& x : values) x *= x;
  return Floats(values);
}
OpBuffer Subnormal(int64_t numel, uint64_t seed) {
  std::vector<float> values = FiniteFloats(numel, seed);
  for (float& x : values) x = FromBits(Bits(x) & 0x807fffffu);
  return Floats(values);
}
OpBuffer Bf16s(int64_t numel, uint64_t seed) {
  std::vector<Bf16> narrow;
  for (const float x : WildFloats(numel, seed)) narrow.push_back(ToBf16(x));
  return BufferOf(OpBuffer::kBf16s, narrow);
}
OpBuffer Tokens(int64_t count, int64_t V) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<int32_t>(i * 7 % V));
  return BufferOf(OpBuffer::kTokens, tokens);
}
OpBuffer Squares() { return BufferOf(OpBuffer::kSquares, std::vector{SumOfSquares()}); }
/// Bins that are as full as they may be: the next addition carries.
OpBuffer FullSquares() {
  SumOfSquares sum;
  for (auto& bin : sum.bins) bin = {(uint64_t{1} << SumOfSquares::kLowBits) - 1, 5};
  sum.bins[255] = {};
  return BufferOf(OpBuffer::kSquares, std::vector{sum});
}
OpBuffer Magnitudes() { return BufferOf(OpBuffer::kMagnitudes, std::vector{SumOfMagnitudes()}); }

class Cases {
 public:
  void Add(std::string name, std::vector<OpBuffer> buffers, std::function<void(Ops&, M)> run) {
    cases.push_back({std::move(name), std::move(buffers), std::move(run)});
  }
  std::vector<OpCase> cases;
};

constexpr int64_t kSizes[] = {0, 1, 2, 63, 65, 255, 257, 1023, 1025};

void AddElementwise(Cases& cases) {
  for (const int64_t n : kSizes) {
    const auto add = [&](const char* name, std::vector<OpBuffer> buffers, auto run) {
      cases.Add(fmt::format("{} of {}", name, n), std::move(buffers), std::move(run));
    };
    add("Copy", {Fresh(n), Wild(n, 1)}, [=](Ops& o, M m) { o.Copy(m.at[0], m.at[1], 4 * n); });
    add("Fill", {Fresh(n)}, [=](Ops& o, M m) { o.Fill(m.floats(0), -0.0f, n); });
    add("CastToFloat", {Fresh(n), Bf16s(n, 1)}, [=](Ops& o, M m) { o.CastToFloat(m.floats(0), m.bf16s(1), n); });
    add("CastToBf16", {Bf16s(n, 2), Wild(n, 1)}, [=](Ops& o, M m) { o.CastToBf16(m.bf16s(0), m.floats(1), n); });
    add("RoundToBf16", {Wild(n, 3)}, [=](Ops& o, M m) { o.RoundToBf16(m.floats(0), n); });
    add("Add", {Wild(n, 1), Wild(n, 2)}, [=](Ops& o, M m) { o.Add(m.floats(0), m.floats(1), n); });
    add("Divide", {Wild(n, 1)}, [=](Ops& o, M m) { o.Divide(m.floats(0), 3.0f, n); });
    add("Max", {Wild(n, 1), Wild(n, 2)}, [=](Ops& o, M m) { o.Max(m.floats(0), m.floats(1), n); });
    add("Scale", {Wild(n, 1)}, [=](Ops& o, M m) { o.Scale(m.floats(0), 0.37f, n); });
    add("Gelu", {Fresh(n), Fresh(n), Wild(n, 1)},
        [=](Ops& o, M m) { o.Gelu(m.floats(0), m.floats(1), m.floats(2), n); });
    add("GeluGradient", {Wild(n, 1), Wild(n, 2), Ordinary(n, 3)},
        [=](Ops& o, M m) { o.GeluGradient(m.floats(0), m.floats(1), m.floats(2), m.floats(0), n); });
  }
}

void AddFolds(Cases& cases) {
  constexpr int kLeaves = 15;
  constexpr int64_t n = 131;
  std::vector<Fold> folds = {Fold::Leaf(2), Fold::Sum({Fold::Leaf(1)}, Rounding::kBf16), RankFold(15, 1),
                             TreeFold(15, 1), TreeFold(5, 3)};
  for (int owner = 0; owner < 5; ++owner) folds.push_back(RingFold(5, 3, owner, Rounding::kBf16));
  folds.push_back(SumsKeptIn(Rounding::kBf16, Rounding::kFp32, TreeFold(5, 3), 3));
  for (const Fold& fold : folds) {
    std::vector<OpBuffer> leaves;
    for (int g = 0; g < kLeaves; ++g) leaves.push_back(g % 2 ? Wild(n, g) : Ordinary(n, g));
    for (const float divisor : {1.0f, 15.0f}) {
      cases.Add(fmt::format("FoldLeaves {} / {}", ToString(fold), divisor), leaves, [=](Ops& o, M m) {
        std::vector<const float*> at;
        for (int g = 0; g < kLeaves; ++g) at.push_back(m.floats(g));
        o.FoldLeaves(m.floats(2), fold, at, divisor, n);
      });
    }
  }
}

/// Values of one exponent, with every mantissa bit.
OpBuffer OfOneExponent(int64_t numel, uint32_t exponent) {
  return Floats(std::vector<float>(numel, FromBits(exponent << 23 | 0x7fffffu)));
}
/// `most` but for every hundredth value.
OpBuffer Mixed(int64_t numel, float most, uint64_t seed) {
  std::vector<float> values = FiniteFloats(numel, seed);
  for (int64_t i = 0; i < numel; ++i) values[i] = i % 100 == 0 ? values[i] : most;
  return Floats(values);
}

void AddExactSums(Cases& cases) {
  for (const int64_t n : {0, 1, 255, 257, 8191, 8192, 8193, 3 * 8192 + 17}) {
    for (const auto& values :
         {Ordinary(n, 1), Finite(n, 2), Wild(n, 3), Subnormal(n, 4), OfOneExponent(n, 1), OfOneExponent(n, 126),
          OfOneExponent(n, 254), OfOneExponent(n, 255), Mixed(n, 0.0f, 5), Mixed(n, -0.5f, 6)}) {
      cases.Add(fmt::format("AddSquares of {}", n), {Squares(), values, FullSquares()}, [=](Ops& o, M m) {
        o.AddSquares(m.squares(0), m.floats(1), n);
        o.AddSquares(m.squares(0), m.floats(1), n / 2);
        o.AddSquares(m.squares(2), m.floats(1), n);
      });
      cases.Add(fmt::format("AddMagnitudes of {}", n), {Magnitudes(), values}, [=](Ops& o, M m) {
        o.AddMagnitudes(m.magnitudes(0), m.floats(1), n);
        o.AddMagnitudes(m.magnitudes(0), m.floats(1), n / 2);
      });
    }
  }
}

std::vector<OptimizerFormula> AllFormulas() {
  std::vector<OptimizerFormula> formulas;
  for (int i = 0; i < 2 * 4 * 3 * 4 * 2 * 2; ++i) {
    int rest = i;
    const auto next = [&](int choices) {
      const int choice = rest % choices;
      rest /= choices;
      return choice;
    };
    formulas.push_back({static_cast<MomentOrder>(next(2)), static_cast<DecayPosition>(next(4)),
                        static_cast<BiasCorrection>(next(3)), static_cast<EpsilonPosition>(next(4)),
                        static_cast<UpdateOrder>(next(2)), static_cast<ProductRounding>(next(2))});
  }
  return formulas;
}

void AddOptimizers(Cases& cases) {
  constexpr SgdScalars kSgd{1e-2f, 0.9f, 0.01f, 0.37f};
  constexpr AdamWScalars kAdamW{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.37f};
  constexpr AdamScalars kAdam{1e-3f, 0.9f,   0.999f,    0.1f,    0.001f, 1e-8f,
                              0.01f, 0.271f, 0.002997f, 0.0547f, 0.99f,  0.37f};
  for (const int64_t n : kSizes) {
    cases.Add(fmt::format("Sgd of {}", n), {Ordinary(n, 1), Ordinary(n, 2), Wild(n, 3)},
              [=](Ops& o, M m) { o.Sgd(kSgd, m.floats(0), m.floats(1), m.floats(2), n); });
    cases.Add(fmt::format("AdamW of {}", n), {Ordinary(n, 1), Ordinary(n, 2), Squared(n, 3), Wild(n, 4)},
              [=](Ops& o, M m) { o.AdamW(kAdamW, m.floats(0), m.floats(1), m.floats(2), m.floats(3), n); });
  }
  constexpr int64_t n = 67;
  int number = 0;
  for (const OptimizerFormula& f : AllFormulas()) {
    const std::vector<OpBuffer> state = {Ordinary(n, 1), Ordinary(n, 2), Squared(n, 3),
                                         Wild(n, 4),     Squares(),      Squares()};
    cases.Add(fmt::format("Adam in formula {}", number), state,
              [=](Ops& o, M m) { o.Adam(f, kAdam, m.floats(0), m.floats(1), m.floats(2), m.floats(3), n); });
    cases.Add(fmt::format("Lamb in formula {}", number), state, [=](Ops& o, M m) {
      o.LambMoments(f, kAdam, m.squares(4), m.squares(5), m.floats(0), m.floats(1), m.floats(2), m.floats(3), n);
      o.LambApply(f, kAdam, 0.1f, m.floats(0), m.floats(1), m.floats(2), n);
    });
    for (const bool nesterov : {false, true}) {
      for (const float momentum : {0.0f, 0.9f}) {
        const MomentumScalars s{1e-2f, momentum, 0.01f, 0.8f, nesterov, number % 3 == 0, 0.37f};
        cases.Add(fmt::format("MomentumSgd in formula {}", number), state,
                  [=](Ops& o, M m) { o.MomentumSgd(f, s, m.floats(0), m.floats(1), m.floats(3), n); });
      }
    }
    ++number;
  }
}

struct GemmShape {
  int64_t M, N, K;
};

void AddGemms(Cases& cases) {
  // Around tiles of 128 x 128 and steps of 8 in k.
  for (const auto [M, N, K] : {GemmShape{1, 1, 1},
                               {3, 5, 7},
                               {2, 3, 0},
                               {128, 128, 8},
                               {129, 130, 9},
                               {17, 300, 33},
                               {257, 2, 65},
                               {130, 5, 16},
                               {1, 200, 15}}) {
    const int64_t a = std::max(M, K) + 3, b = std::max(N, K) + 1, c = N + 2;
    for (const bool wild : {false, true}) {
      const auto values = [&](int64_t numel, uint64_t seed) {
        return wild ? Wild(numel, seed) : Ordinary(numel, seed);
      };
      const std::vector<OpBuffer> buffers = {Fresh(M * c), values(a * a, 1), values(b * b, 2)};
      const auto add = [&](const char* name, auto multiply) {
        cases.Add(fmt::format("{} {}x{}x{}", name, M, N, K), buffers,
                  [=, M = M, N = N, K = K](Ops& o, const OpMemory& m) {
                    (o.*multiply)({m.floats(0), c}, {m.floats(1), a}, {m.floats(2), b}, M, N, K, Operands::kFp32);
                  });
      };
      using Multiply = void (Ops::*)(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands);
      add("GemmNN", static_cast<Multiply>(&Ops::GemmNN));
      add("GemmNT", static_cast<Multiply>(&Ops::GemmNT));
      add("GemmTN", static_cast<Multiply>(&Ops::GemmTN));
    }
  }
  const std::vector<float> tiny(9, 1e-30f), negative(9, -1e-30f);
  cases.Add("GemmNN whose sum is -0", {Fresh(1), Floats(tiny), Floats(negative)},
            [](Ops& o, M m) { o.GemmNN(m.floats(0), m.floats(1), m.floats(2), 1, 1, 9); });
}

void AddLayers(Cases& cases) {
  constexpr std::pair<int64_t, int64_t> kShapes[] = {
      {1, 1}, {3, 7}, {65, 9}, {1100, 11}, {2, 1025}, {3, 7 * 1024 + 5}, {5 * 1024 + 1, 3}};
  for (const auto& [rows, columns] : kShapes) {
    const int64_t R = rows, C = columns, n = R * C;
    for (const bool wild : {false, true}) {
      const auto x = [&](uint64_t seed) { return wild ? Wild(n, seed) : Ordinary(n, seed); };
      const auto add = [&](const char* name, std::vector<OpBuffer> buffers, auto run) {
        cases.Add(fmt::format("{} {}x{}", name, R, C), std::move(buffers), std::move(run));
      };
      add("AddBias", {x(1), Wild(C, 2)}, [=](Ops& o, M m) { o.AddBias(m.floats(0), m.floats(1), R, C); });
      add("BiasGradient", {Fresh(C), x(1)}, [=](Ops& o, M m) { o.BiasGradient(m.floats(0), m.floats(1), R, C); });
      add("LayerNorm", {Fresh(n), Fresh(R), Fresh(R), x(1), Ordinary(C, 2), Ordinary(C, 3)}, [=](Ops& o, M m) {
        o.LayerNorm(m.floats(0), m.floats(1), m.floats(2), m.floats(3), m.floats(4), m.floats(5), 1e-5f, R, C);
      });
      for (const int downstream : {0, 3}) {
        add("LayerNormGradient",
            {Fresh(n), Fresh(C), Fresh(C), x(1), x(2), Ordinary(R, 3), Squared(R, 4), Ordinary(C, 5)},
            [=](Ops& o, M m) {
              o.LayerNormGradient(m.floats(downstream), m.floats(1), m.floats(2), m.floats(3), m.floats(4), m.floats(5),
                                  m.floats(6), m.floats(7), R, C);
            });
      }
      for (const int upstream : {1, 2}) {
        add("SoftmaxCrossEntropy", {Fresh(R), Fresh(n), x(1), Tokens(R, C)}, [=](Ops& o, M m) {
          o.SoftmaxCrossEntropy(m.floats(0), m.floats(upstream), m.floats(2), m.tokens(3), R, C);
        });
      }
      for (const int numerators : {1, 2}) {  // a slice of the row, in its place too
        add("SoftmaxNumerators", {Fresh(R), Fresh(n), x(1), Ordinary(R, 2)}, [=](Ops& o, M m) {
          o.SoftmaxNumerators({m.floats(numerators) + C / 3, C}, m.floats(0), {m.floats(2) + C / 3, C}, m.floats(3), R,
                              C - C / 3);
        });
      }
      for (const VocabRange own : {VocabRange{0, C}, {C, 2 * C}, {C, C}}) {
        add("LargestLogits", {Fresh(R), Fresh(R), x(1), Tokens(R, 2 * C)},
            [=](Ops& o, M m) { o.LargestLogits(m.floats(0), m.floats(1), m.floats(2), own, m.tokens(3), R); });
        add("CrossEntropyOfSums", {Fresh(R), x(1), Wild(R, 2), Squared(R, 3), Wild(R, 4), Tokens(R, 2 * C)},
            [=](Ops& o, M m) {
              o.CrossEntropyOfSums(m.floats(0), m.floats(1), m.floats(2), m.floats(3), m.floats(4), own, m.tokens(5),
                                   R);
            });
      }
    }
  }
  constexpr int64_t B = 3, T = 5, V = 11;
  for (const int64_t C : {7, 70}) {
    for (const VocabRange own : {VocabRange{0, V}, {0, 3}, {2, V}, {5, 5}}) {
      const auto add = [&](const char* name, std::vector<OpBuffer> buffers, auto run) {
        cases.Add(fmt::format("{} of {} to {}, {} wide", name, own.begin, own.end, C), std::move(buffers),
                  std::move(run));
      };
      const int64_t N = own.numel();
      add("Embed", {Fresh(B * T * C), Wild(N * C, 1), Tokens(B * T, V)},
          [=](Ops& o, M m) { o.Embed(m.floats(0), m.floats(1), own, m.tokens(2), B, T, C); });
      add("EmbedGradient", {Fresh(N * C), Wild(B * T * C, 1), Tokens(B * T, 4)},
          [=](Ops& o, M m) { o.EmbedGradient(m.floats(0), own, m.floats(1), m.tokens(2), B, T, C); });
    }
  }
}

void AddAttention(Cases& cases) {
  for (const AttentionSizes s : {AttentionSizes{1, 1, 1, 1},
                                 {2, 5, 2, 6},
                                 {1, 67, 3, 9},
                                 {2, 49, 1, 130},
                                 {1, 1030, 1, 2},
                                 {2, 5, 4, 12, 2},
                                 {1, 67, 3, 9, 1},
                                 {2, 9, 6, 6, 2}}) {
    const int64_t in = s.qkv_numel(), out = s.out_numel(), squares = s.squares_numel();
    for (const bool round : {false, true}) {
      for (const bool wild : {false, true}) {
        const OpBuffer qkv = wild ? Wild(in, 1) : Ordinary(in, 1);
        const std::string shape = fmt::format("{}x{}x{}/{}x{}", s.B, s.T, s.heads, s.kv_heads, s.C);
        cases.Add("CausalAttention " + shape, {Fresh(out), Fresh(squares), qkv},
                  [=](Ops& o, M m) { o.CausalAttention(m.floats(0), m.floats(1), m.floats(2), round, s); });
        cases.Add("CausalAttentionGradient " + shape, {Fresh(in), Ordinary(out, 2), qkv, Squared(squares, 3)},
                  [=](Ops& o, M m) {
                    o.CausalAttentionGradient(m.floats(0), m.floats(1), m.floats(2), m.floats(3), round, s);
                  });
      }
    }
  }
}

template <typename T>
std::vector<T> As(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

std::vector<uint64_t> OpBuffer::Bits() const {
  std::vector<uint64_t> bits;
  switch (kind) {
    case kFloats:
      for (const float x : As<float>(bytes)) bits.push_back(CanonicalBits(x));
      break;
    case kBf16s:
      for (const Bf16 x : As<Bf16>(bytes)) bits.push_back(CanonicalBits(ToFloat(x)));
      break;
    case kTokens:
      for (const int32_t token : As<int32_t>(bytes)) bits.push_back(static_cast<uint64_t>(token));
      break;
    case kSquares:
      for (const SumOfSquares& sum : As<SumOfSquares>(bytes)) {
        const double value = sum.Value();
        bits.push_back(std::isnan(value) ? kCanonicalNan : std::bit_cast<uint64_t>(value));
        for (const auto& bin : sum.bins) bits.push_back(bin.low >> SumOfSquares::kLowBits);  // 0: it can be added up
      }
      break;
    case kMagnitudes:
      for (const SumOfMagnitudes& sum : As<SumOfMagnitudes>(bytes)) {
        for (const float x : {sum.Value(), sum.Largest()}) bits.push_back(CanonicalBits(x));
        bits.push_back(sum.bins[255]);
      }
      break;
  }
  return bits;
}

std::vector<OpBuffer> OpCase::RunOnHost(Ops& ops) const {
  std::vector<OpBuffer> after = buffers;
  OpMemory memory;
  for (OpBuffer& buffer : after) memory.at.push_back(buffer.bytes.data());
  run(ops, memory);
  return after;
}

std::vector<OpCase> OpCases() {
  Cases cases;
  AddElementwise(cases);
  AddFolds(cases);
  AddExactSums(cases);
  AddOptimizers(cases);
  AddGemms(cases);
  AddLayers(cases);
  AddAttention(cases);
  return std::move(cases.cases);
}

}  // namespace zerocts::engine
