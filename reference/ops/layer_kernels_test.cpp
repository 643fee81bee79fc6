// The kernels of layers that no single operation shows alone: sums of the lane tree by rows and by columns, the
// elementary functions in vectors.
#include "reference/ops/layer_kernels.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reference/numerics/elementary.hpp"
#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/kernel_choices.hpp"
#include "reference/ops/layer_walks_for_test.hpp"

namespace zerocts {
namespace {

using walk::Tensor;

constexpr int64_t kCounts[] = {0,   1,    2,    15,   31,   32,   33,       63,           64,       65,
                               127, 1000, 1023, 1024, 1025, 2048, 3 * 1024, 5 * 1024 + 1, 7 * 1024, 11 * 1024 + 77};

TEST(LayerKernels, RowSumsWalkTheLaneTree) {
  for (const KernelTable* table : RunnableKernels()) {
    for (const int64_t count : kCounts) {
      for (const auto& floats : {OrdinaryFloats, FiniteFloats, WildFloats}) {
        const Tensor values = floats(count, count + 1);
        ASSERT_EQ(CanonicalBits(table->layers.lane_tree_sum(values.data(), count)),
                  CanonicalBits(walk::LaneTree(values)))
            << table->name << " " << count;
      }
    }
  }
}

TEST(LayerKernels, ColumnSumsWalkTheLaneTree) {
  for (const KernelTable* table : RunnableKernels()) {
    for (const int64_t R : kCounts) {
      for (const int64_t columns : {1, 7, 17, 128, 131, 400}) {
        if (R * columns > 500'000) continue;
        const int64_t stride = columns + 5;
        const Tensor values = R % 2 == 0 ? OrdinaryFloats(R * stride, R + 1) : WildFloats(R * stride, R + 1);
        Tensor sums(columns, 99.0f), expected;
        table->layers.column_sums(sums.data(), values.data(), stride, R, columns);
        for (int64_t c = 0; c < columns; ++c) {
          Tensor column;
          for (int64_t r = 0; r < R; ++r) column.push_back(values[r * stride + c]);
          expected.push_back(walk::LaneTree(column));
        }
        ASSERT_EQ(CanonicalBitsOf(sums), CanonicalBitsOf(expected)) << table->name << " " << R << "x" << columns;
      }
    }
  }
}

struct Function {
  const char* name;
  void (*LayerKernels::*vectors)(float* out, const float* in, int64_t numel);
  float (*scalar)(float);
};

const Function kFunctions[] = {
    {"exp", &LayerKernels::exp, Exp}, {"log", &LayerKernels::log, Log}, {"tanh", &LayerKernels::tanh, Tanh}};

// The scalar functions are compared with MPFR in numerics/; here every table gives their bits, in vectors and in what
// is left of them.
TEST(LayerKernels, ElementaryFunctionsInVectorsAreTheScalarOnes) {
  Tensor in = SpecialFloats();
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 40'009) {
    in.push_back(FromBits(static_cast<uint32_t>(bits)));
  }
  for (const Function& function : kFunctions) {
    Tensor expected;
    for (const float x : in) expected.push_back(function.scalar(x));
    for (const KernelTable* table : RunnableKernels()) {
      for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{15}, int64_t{33}, static_cast<int64_t>(in.size())}) {
        Tensor out(in.size(), 99.0f);
        (table->layers.*function.vectors)(out.data(), in.data(), count);
        ASSERT_EQ(CanonicalBitsOf({out.begin(), out.begin() + count}),
                  CanonicalBitsOf({expected.begin(), expected.begin() + count}))
            << table->name << " " << function.name << " of " << count;
      }
    }
  }
}

TEST(LayerKernels, SpecialValuesInVectorsAreAsDocumented) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr int64_t kNumel = 48;  // each value meets every lane of a vector
  const auto all = [](void (*function)(float*, const float*, int64_t), float x) {
    const Tensor in(kNumel, x);
    Tensor out(kNumel);
    function(out.data(), in.data(), kNumel);
    EXPECT_EQ(CanonicalBitsOf(out), std::vector<uint32_t>(kNumel, CanonicalBits(out[0])));
    return CanonicalBits(out[0]);
  };
  for (const KernelTable* table : RunnableKernels()) {
    SCOPED_TRACE(table->name);
    const LayerKernels& layers = table->layers;
    for (const float zero : {0.0f, -0.0f}) EXPECT_EQ(all(layers.log, zero), Bits(-kInfinity));
    for (const float negative : {-FromBits(1), -1.0f, -kInfinity}) EXPECT_EQ(all(layers.log, negative), kCanonicalNan);
    EXPECT_EQ(all(layers.log, kInfinity), Bits(kInfinity));
    EXPECT_EQ(all(layers.log, 1.0f), 0u);
    EXPECT_EQ(all(layers.exp, -kInfinity), 0u);
    EXPECT_EQ(all(layers.exp, kInfinity), Bits(kInfinity));
    EXPECT_EQ(all(layers.exp, 89.0f), Bits(kInfinity));
    EXPECT_EQ(all(layers.exp, -0.0f), Bits(1.0f));
    EXPECT_EQ(all(layers.tanh, -0.0f), 0x80000000u);
    EXPECT_EQ(all(layers.tanh, kInfinity), Bits(1.0f));
    EXPECT_EQ(all(layers.tanh, -kInfinity), Bits(-1.0f));
    for (const auto function : {layers.exp, layers.log, layers.tanh}) EXPECT_EQ(all(function, kNan), kCanonicalNan);
  }
}

}  // namespace
}  // namespace zerocts
