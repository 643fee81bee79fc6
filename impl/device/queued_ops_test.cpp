// Every operation: what it says it overwrites, and that it has its bits when that was NaN before.
#include "impl/device/queued_ops.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <latch>

#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/device/queued_stream.hpp"
#include "impl/device/sim/device.hpp"
#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t B = 3, T = 5, kHeads = 2, C = 6, V = 11, kNumel = 4 * B * T * C;

/// What operations work on.
struct Operand {
  std::vector<float> x[8];
  std::vector<Bf16> narrow;
  std::vector<int32_t> tokens;
  SumOfSquares squares[2];
  SumOfMagnitudes magnitudes;

  Operand() : narrow(kNumel), tokens(B * T) {
    for (int i = 0; i < 8; ++i) x[i] = OrdinaryFloats(kNumel, i);
    for (auto& values : {3, 5}) {
      for (float& v : x[values]) v = v * v;  // second moments and rstd are no negative numbers
    }
    for (int64_t i = 0; i < kNumel; ++i) narrow[i] = ToBf16(x[7][i]);
    for (int64_t i = 0; i < B * T; ++i) tokens[i] = static_cast<int32_t>(i * 7 % V);
  }

  float* operator[](int i) { return x[i].data(); }

  std::vector<uint32_t> Bits() const {
    std::vector<float> all;
    for (const auto& values : x) all.insert(all.end(), values.begin(), values.end());
    for (const Bf16 value : narrow) all.push_back(ToFloat(value));
    for (const SumOfSquares& sum : squares) all.push_back(sum.Value());
    all.push_back(magnitudes.Value());
    return CanonicalBitsOf(all);
  }
};

struct Call {
  const char* name;
  std::function<void(Ops&, Operand&)> call;
  /// Elements [begin, begin + numel) of x[which].
  struct Part {
    int which;
    int64_t begin, numel;
  };
  std::vector<Part> overwrites;
  int64_t narrow_overwritten = 0;
};

constexpr SgdScalars kSgd{1e-2f, 0.9f, 0.01f, 0.5f};
constexpr AdamWScalars kAdamW{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.5f};
constexpr AdamScalars kAdam{1e-3f, 0.9f, 0.999f, 0.1f, 0.001f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.0547f, 0.99f, 0.5f};
constexpr MomentumScalars Momentum(float momentum, bool first) {
  return {1e-2f, momentum, 0.01f, 1.0f, false, first, 1};
}
constexpr auto kFp32 = Operands::kFp32;

std::vector<Call> Calls() {
  const int64_t n = 37, rows = B * T, scores = B * kHeads * T * T;
  return {
      {"Copy", [=](Ops& o, Operand& x) { o.Copy(x[0], x[1], 4 * n); }, {{0, 0, n}}},
      {"Copy of nothing", [](Ops& o, Operand&) { o.Copy(nullptr, nullptr, 0); }, {}},
      {"Copy onto part of itself", [=](Ops& o, Operand& x) { o.Copy(x[0], x[0] + n - 1, 4 * n); }, {}},
      {"Copy from behind itself", [=](Ops& o, Operand& x) { o.Copy(x[0], x[0] + n, 4 * n); }, {{0, 0, n}}},
      {"Copy from before itself", [=](Ops& o, Operand& x) { o.Copy(x[0] + n, x[0], 4 * n); }, {{0, n, n}}},
      {"Fill", [=](Ops& o, Operand& x) { o.Fill(x[0] + 1, 2.0f, n); }, {{0, 1, n}}},
      {"CastToFloat", [=](Ops& o, Operand& x) { o.CastToFloat(x[0], x.narrow.data(), n); }, {{0, 0, n}}},
      {"CastToBf16", [=](Ops& o, Operand& x) { o.CastToBf16(x.narrow.data(), x[0], n); }, {}, n},
      {"RoundToBf16", [=](Ops& o, Operand& x) { o.RoundToBf16(x[0], n); }, {}},
      {"Add", [=](Ops& o, Operand& x) { o.Add(x[0], x[1], n); }, {}},
      {"Divide", [=](Ops& o, Operand& x) { o.Divide(x[0], 3.0f, n); }, {}},
      {"Scale", [=](Ops& o, Operand& x) { o.Scale(x[0], 3.0f, n); }, {}},
      {"Max", [=](Ops& o, Operand& x) { o.Max(x[0], x[1], n); }, {}},
      {"FoldLeaves",
       [=](Ops& o, Operand& x) {
         std::vector<const float*> leaves = {x[1], x[2]};
         o.FoldLeaves(x[0], RankFold(2, 1), leaves, 2.0f, n);
         leaves = {nullptr, nullptr};  // the span was only lent
       },
       {{0, 0, n}}},
      {"FoldLeaves into a leaf",
       [=](Ops& o, Operand& x) {
         o.FoldLeaves(x[2], RankFold(3, 1), std::vector<const float*>{x[1], x[0], x[2]}, 3.0f, n);
       },
       {}},
      {"AddSquares", [=](Ops& o, Operand& x) { o.AddSquares(&x.squares[0], x[0], n); }, {}},
      {"AddMagnitudes", [=](Ops& o, Operand& x) { o.AddMagnitudes(&x.magnitudes, x[0], n); }, {}},
      {"Sgd", [=](Ops& o, Operand& x) { o.Sgd(kSgd, x[0], x[1], x[2], n); }, {}},
      {"AdamW", [=](Ops& o, Operand& x) { o.AdamW(kAdamW, x[0], x[1], x[3], x[2], n); }, {}},
      {"Adam", [=](Ops& o, Operand& x) { o.Adam({}, kAdam, x[0], x[1], x[3], x[2], n); }, {}},
      {"LambMoments",
       [=](Ops& o, Operand& x) { o.LambMoments({}, kAdam, &x.squares[0], &x.squares[1], x[0], x[1], x[3], x[2], n); },
       {}},
      {"LambApply", [=](Ops& o, Operand& x) { o.LambApply({}, kAdam, 0.1f, x[0], x[1], x[3], n); }, {}},
      {"MomentumSgd", [=](Ops& o, Operand& x) { o.MomentumSgd({}, Momentum(0.9f, false), x[0], x[1], x[2], n); }, {}},
      {"MomentumSgd, first",
       [=](Ops& o, Operand& x) { o.MomentumSgd({}, Momentum(0.9f, true), x[0], x[1], x[2], n); },
       {{1, 0, n}}},
      {"MomentumSgd, first, none",
       [=](Ops& o, Operand& x) { o.MomentumSgd({}, Momentum(0.0f, true), x[0], x[1], x[2], n); },
       {}},
      {"GemmNN", [](Ops& o, Operand& x) { o.GemmNN(x[0], x[1], x[2], 3, 5, 7); }, {{0, 0, 15}}},
      {"GemmNN of no columns", [](Ops& o, Operand& x) { o.GemmNN(x[0], x[1], x[2], 3, 0, 7); }, {}},
      {"GemmNN of no k", [](Ops& o, Operand& x) { o.GemmNN(x[0], x[1], x[2], 3, 5, 0); }, {{0, 0, 15}}},
      {"GemmNN between the columns of a",
       [](Ops& o, Operand& x) {
         o.GemmNN({x[0] + 7, 12}, {x[0], 12}, {x[2], 5}, 3, 5, 7, kFp32);
       },
       {{0, 7, 5}, {0, 19, 5}, {0, 31, 5}}},
      {"GemmNT",
       [](Ops& o, Operand& x) {
         o.GemmNT({x[0], 9}, {x[1], 7}, {x[2], 7}, 2, 5, 7, kFp32);
       },
       {{0, 0, 5}, {0, 9, 5}}},
      {"GemmTN",
       [](Ops& o, Operand& x) {
         o.GemmTN({x[0], 9}, {x[1], 2}, {x[2], 5}, 2, 5, 7, kFp32);
       },
       {{0, 0, 5}, {0, 9, 5}}},
      {"AddBias", [](Ops& o, Operand& x) { o.AddBias(x[0], x[1], B, C); }, {}},
      {"BiasGradient", [](Ops& o, Operand& x) { o.BiasGradient(x[0], x[1], B, C); }, {{0, 0, C}}},
      {"Gelu", [=](Ops& o, Operand& x) { o.Gelu(x[0], x[1], x[2], n); }, {{0, 0, n}, {1, 0, n}}},
      {"Gelu in place", [=](Ops& o, Operand& x) { o.Gelu(x[0], x[1], x[0], n); }, {{1, 0, n}}},
      {"GeluGradient", [=](Ops& o, Operand& x) { o.GeluGradient(x[0], x[1], x[2], x[4], n); }, {{0, 0, n}}},
      {"GeluGradient in place", [=](Ops& o, Operand& x) { o.GeluGradient(x[0], x[1], x[2], x[0], n); }, {}},
      {"Embed",
       [](Ops& o, Operand& x) {
         o.Embed(x[0], x[1], {2, V}, x.tokens.data(), B, T, C);
       },
       {{0, 0, B * T * C}}},
      {"EmbedGradient",
       [](Ops& o, Operand& x) {
         o.EmbedGradient(x[0], {2, V}, x[1], x.tokens.data(), B, T, C);
       },
       {{0, 0, (V - 2) * C}}},
      {"LayerNorm",
       [=](Ops& o, Operand& x) { o.LayerNorm(x[0], x[1], x[2], x[3], x[4], x[5], 1e-5f, rows, C); },
       {{0, 0, rows * C}, {1, 0, rows}, {2, 0, rows}}},
      {"LayerNormGradient",
       [=](Ops& o, Operand& x) { o.LayerNormGradient(x[0], x[1], x[2], x[3], x[4], x[6], x[5], x[7], rows, C); },
       {{0, 0, rows * C}, {1, 0, C}, {2, 0, C}}},
      {"LayerNormGradient in place",
       [=](Ops& o, Operand& x) { o.LayerNormGradient(x[0], x[1], x[2], x[0], x[4], x[6], x[5], x[7], rows, C); },
       {{1, 0, C}, {2, 0, C}}},
      {"CausalAttention",
       [](Ops& o, Operand& x) {
         o.CausalAttention(x[0], x[1], x[2], true, {B, T, kHeads, C});
       },
       {{0, 0, rows * C}, {1, 0, scores}}},
      {"CausalAttentionGradient",
       [](Ops& o, Operand& x) {
         o.CausalAttentionGradient(x[0], x[1], x[2], x[3], true, {B, T, kHeads, C});
       },
       {{0, 0, rows * 3 * C}}},
      {"CausalAttentionGradient of one head of keys and values",
       [](Ops& o, Operand& x) {
         o.CausalAttentionGradient(x[0], x[1], x[2], x[3], true, {B, T, kHeads, C, 1});
       },
       {{0, 0, rows * (C + 2 * C / kHeads)}}},
      {"SoftmaxCrossEntropy",
       [](Ops& o, Operand& x) { o.SoftmaxCrossEntropy(x[0], x[1], x[2], x.tokens.data(), B, V); },
       {{0, 0, B}, {1, 0, B * V}}},
      {"SoftmaxCrossEntropy in place",
       [](Ops& o, Operand& x) { o.SoftmaxCrossEntropy(x[0], x[2], x[2], x.tokens.data(), B, V); },
       {{0, 0, B}}},
      {"LargestLogits",
       [](Ops& o, Operand& x) {
         o.LargestLogits(x[0], x[1], x[2], {2, V}, x.tokens.data(), B);
       },
       {{0, 0, B}, {1, 0, B}}},
      {"SoftmaxNumerators",
       [](Ops& o, Operand& x) {
         o.SoftmaxNumerators({x[0], V}, x[1], {x[2], V}, x[3], B, V - 1);
       },
       {{1, 0, B}}},
      {"CrossEntropyOfSums",
       [](Ops& o, Operand& x) {
         o.CrossEntropyOfSums(x[0], x[1], x[2], x[3], x[4], {2, V}, x.tokens.data(), B);
       },
       {{0, 0, B}}},
  };
}

/// Keeps what it is told, and works at once.
struct TellingStream : DeviceStream {
  QueuedOps queued{HostOps(), *this};
  std::vector<std::pair<void*, int64_t>> overwritten;

  Ops& ops() override { return queued; }
  void Run(std::function<void()> work, std::vector<Overwritten> all) override {
    for (const Overwritten& o : all) overwritten.emplace_back(o.memory, o.bytes);
    work();
  }
  Event Record() override { return nullptr; }
  void WaitFor(const Event&) override {}
  void Synchronize() override {}
};

TEST(QueuedOps, EveryOperationSaysWhatItOverwritesWithoutReading) {
  for (const Call& call : Calls()) {
    Operand operand;
    TellingStream stream;
    call.call(stream.ops(), operand);
    std::vector<std::pair<void*, int64_t>> expected;
    for (const auto& part : call.overwrites) expected.emplace_back(operand[part.which] + part.begin, 4 * part.numel);
    if (call.narrow_overwritten) expected.emplace_back(operand.narrow.data(), 2 * call.narrow_overwritten);
    EXPECT_EQ(stream.overwritten, expected) << call.name;
  }
}

TEST(QueuedOps, EveryOperationHasItsBitsOnTheSim) {
  PoisonedMemory memory;
  SimDevice device(memory, {}, [](uint64_t, uint64_t) {});
  const auto stream = device.MakeStream(StreamRole::kCompute);
  for (const Call& call : Calls()) {
    Operand expected, operand;
    const std::vector<uint32_t> before = expected.Bits();
    call.call(HostOps(), expected);
    call.call(stream->ops(), operand);
    stream->Synchronize();
    EXPECT_EQ(operand.Bits(), expected.Bits()) << call.name;
    const bool of_nothing = std::strstr(call.name, " of no") != nullptr;
    EXPECT_TRUE(of_nothing || expected.Bits() != before) << call.name << " did nothing";
  }
}

TEST(QueuedOps, ArgumentsAreThoseOfTheCall) {
  std::latch gate(1);
  QueuedStream stream;
  float out[3] = {}, ones[3] = {1, 1, 1}, twos[3] = {2, 2, 2};
  stream.Run([&] { gate.wait(); });
  {
    Fold fold = RankFold(2, 1);
    std::vector<const float*> leaves = {ones, twos};
    stream.ops().FoldLeaves(out, fold, leaves, 1.0f, 3);
    fold = Fold::Leaf(0);
    leaves = {twos, ones};
  }
  gate.count_down();
  stream.Synchronize();
  EXPECT_EQ(out[2], 3.0f);
}

/// Large enough to be shared among the threads of `ops`, enqueued `times` times; what it leaves.
struct LargeWork {
  static constexpr int64_t kLarge = 100003, kSide = 160;
  std::vector<float> x, y, z, product;
  SumOfSquares squares;

  explicit LargeWork(uint64_t seed)
      : x(OrdinaryFloats(kLarge, seed)), y(OrdinaryFloats(kLarge, seed + 1)), z(kLarge), product(kSide * kSide) {}

  void Enqueue(Ops& ops, int times) {
    for (int i = 0; i < times; ++i) {
      ops.Add(x.data(), y.data(), kLarge);
      ops.AddSquares(&squares, x.data(), kLarge);
      ops.Gelu(y.data(), z.data(), x.data(), kLarge);
      ops.GemmNT(product.data(), x.data(), y.data(), kSide, kSide, kSide);
    }
  }
  std::vector<uint32_t> Bits() const {
    std::vector<float> all = {static_cast<float>(squares.Value())};
    for (const auto* values : {&x, &y, &z, &product}) all.insert(all.end(), values->begin(), values->end());
    return CanonicalBitsOf(all);
  }
};

TEST(QueuedOps, ManyStreamsMayUseOneTableOfOperationsAndItsThreadsAtOnce) {
  constexpr int kTimes = 10;
  Ops& shared = HostOpsWith(ChosenHostKernels(), 3);
  QueuedStream streams[3];
  std::vector<LargeWork> works;
  for (uint64_t seed = 0; seed < 3; ++seed) works.emplace_back(seed);
  std::latch all(3);
  for (int i = 0; i < 3; ++i) {
    streams[i].Run([&] { all.arrive_and_wait(); });
    QueuedOps ops(shared, streams[i]);
    works[i].Enqueue(ops, kTimes);
  }
  for (int i = 0; i < 3; ++i) {
    streams[i].Synchronize();
    LargeWork alone(i);
    alone.Enqueue(HostOpsWith(ChosenHostKernels(), 1), kTimes);
    EXPECT_EQ(works[i].Bits(), alone.Bits()) << "stream " << i;
  }
}

}  // namespace
}  // namespace zerocts::engine
