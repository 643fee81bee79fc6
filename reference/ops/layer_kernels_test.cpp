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

constexpr int64_t kCounts[] = {0,    1,    2,    15,   31,   32,       33,           63,       64,           65,  127,
                               1000, 1023, 1024, 1025, 2048, 3 * 1024, 5 * 1024 + 1, 7 * 1024, 11 * 1024 + 77};

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

}  // namespace
}  // namespace zerocts
