// Every kernel table that this CPU runs gives the bits of the portable one, on odd sizes and on every kind of float.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {
namespace {

constexpr int64_t kSizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000, 1025};

class Kernels : public testing::TestWithParam<std::string> {
 protected:
  Ops& portable_ = HostOpsWith("portable");
  Ops& ops_ = HostOpsWith(GetParam());

  /// `compute(ops)` returns one result tensor.
  template <typename Compute>
  void ExpectEqualBits(int64_t numel, Compute compute) {
    ASSERT_EQ(CanonicalBitsOf(compute(ops_)), CanonicalBitsOf(compute(portable_))) << numel << " elements";
  }
};

INSTANTIATE_TEST_SUITE_P(Host, Kernels, testing::ValuesIn(HostKernelNames()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Kernels, CastsAndSums) {
  for (const int64_t n : kSizes) {
    const std::vector<float> x = WildFloats(n, 1), y = WildFloats(n, 2);
    ExpectEqualBits(n, [&](Ops& ops) {
      std::vector<Bf16> narrow(n);
      std::vector<float> wide(n);
      ops.CastToBf16(narrow.data(), x.data(), n);
      ops.CastToFloat(wide.data(), narrow.data(), n);
      return wide;
    });
    ExpectEqualBits(n, [&](Ops& ops) {
      std::vector<float> values = x;
      ops.RoundToBf16(values.data(), n);
      return values;
    });
    ExpectEqualBits(n, [&](Ops& ops) {
      std::vector<float> values = x;
      ops.Add(values.data(), y.data(), n);
      return values;
    });
    ExpectEqualBits(n, [&](Ops& ops) {
      std::vector<float> values = x;
      ops.Divide(values.data(), 3.0f, n);
      return values;
    });
    ExpectEqualBits(n, [&](Ops& ops) {
      std::vector<float> values = x;
      ops.Scale(values.data(), 3.0f, n);
      return values;
    });
  }
}

TEST_P(Kernels, OptimizerSteps) {
  const AdamWScalars adamw{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.37f};
  const SgdScalars sgd{1e-2f, 0.9f, 0.01f, 0.37f};
  for (const int64_t n : kSizes) {
    for (const auto& floats : {OrdinaryFloats, FiniteFloats, WildFloats}) {
      const std::vector<float> gradient = floats(n, 1), master = floats(n, 2), first = floats(n, 3),
                               second = floats(n, 4);
      for (const int result : {0, 1, 2}) {
        ExpectEqualBits(n, [&](Ops& ops) {
          std::vector<float> state[] = {master, first, second};
          ops.AdamW(adamw, state[0].data(), state[1].data(), state[2].data(), gradient.data(), n);
          return state[result];
        });
      }
      for (const int result : {0, 1}) {
        ExpectEqualBits(n, [&](Ops& ops) {
          std::vector<float> state[] = {master, first};
          ops.Sgd(sgd, state[0].data(), state[1].data(), gradient.data(), n);
          return state[result];
        });
      }
    }
  }
}

TEST_P(Kernels, LayersInPlaceAndNot) {
  for (const int64_t n : kSizes) {
    std::vector<float> x = WildFloats(n, 1);
    const std::vector<float> upstream = WildFloats(n, 2), ordinary = OrdinaryFloats(n, 3);
    for (int64_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 8.0f * ordinary[i] : x[i];  // half of them where GELU bends
    for (const bool in_place : {false, true}) {
      ExpectEqualBits(n, [&](Ops& ops) {
        std::vector<float> in = x, out(n), tanh(n);
        std::vector<float>& result = in_place ? in : out;
        ops.Gelu(result.data(), tanh.data(), in.data(), n);
        result.insert(result.end(), tanh.begin(), tanh.end());
        return result;
      });
      ExpectEqualBits(n, [&](Ops& ops) {
        std::vector<float> in = x, out(n), up = upstream;
        std::vector<float>& result = in_place ? up : out;
        ops.GeluGradient(result.data(), in.data(), ordinary.data(), up.data(), n);
        return result;
      });
    }
  }
}

TEST_P(Kernels, SoftmaxCrossEntropy) {
  for (const int64_t vocab : {1, 2, 5, 17, 128, 1500}) {
    constexpr int64_t kBatch = 7;
    const std::vector<float> wild = WildFloats(kBatch * vocab, 1), ordinary = OrdinaryFloats(kBatch * vocab, 2);
    std::vector<int32_t> targets;
    for (int64_t b = 0; b < kBatch; ++b) targets.push_back(static_cast<int32_t>(RandomBelow(1, 2, b, vocab)));
    for (const auto& logits : {wild, ordinary}) {
      for (const bool want_loss : {false, true}) {
        ExpectEqualBits(vocab, [&](Ops& ops) {
          std::vector<float> loss(kBatch), upstream(kBatch * vocab);
          ops.SoftmaxCrossEntropy(loss.data(), upstream.data(), logits.data(), targets.data(), kBatch, vocab);
          return want_loss ? loss : upstream;
        });
      }
    }
  }
}

/// Works on a slice of each row, in its place.
TEST_P(Kernels, SplitCrossEntropy) {
  for (const int64_t own : {0, 1, 2, 5, 17, 128, 1500}) {
    constexpr int64_t kBatch = 7;
    const int64_t skipped = own / 3;
    std::vector<int32_t> targets;
    for (int64_t b = 0; b < kBatch; ++b) targets.push_back(static_cast<int32_t>(RandomBelow(1, 2, b, own + 2)));
    for (const auto& logits : {WildFloats(kBatch * own, 1), OrdinaryFloats(kBatch * own, 2)}) {
      for (const int which : {0, 1, 2, 3, 4}) {
        ExpectEqualBits(own, [&](Ops& ops) {
          std::vector<float> largest(kBatch), target(kBatch), sum(kBatch), loss(kBatch), row = logits;
          ops.LargestLogits(largest.data(), target.data(), row.data(), {1, 1 + own}, targets.data(), kBatch);
          float* const slice = row.data() + skipped;
          ops.SoftmaxNumerators({slice, own}, sum.data(), {slice, own}, largest.data(), kBatch, own - skipped);
          ops.CrossEntropyOfSums(loss.data(), row.data(), largest.data(), sum.data(), target.data(), {1, 1 + own},
                                 targets.data(), kBatch);
          return std::vector{largest, target, sum, loss, row}[which];
        });
      }
    }
  }
}

TEST(KernelTables, NoneIsCompiledWithContraction) {
  for (const KernelTable* table : RunnableKernels()) EXPECT_FALSE(table->contracts()) << table->name;
}

}  // namespace
}  // namespace zerocts
