#include "impl/tensor_parallel/parameter_part.hpp"

#include <gtest/gtest.h>

namespace zerocts::engine {
namespace {

std::vector<int64_t> WholeIndices(const ParameterPart& part) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < part.numel(); ++i) indices.push_back(part.WholeIndex(i));
  return indices;
}

TEST(ParameterPart, HasRowsOfAColumnParallelWeight) {
  const ParameterPart part = PartOf({5, 2}, {0}, 1, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(WholeIndices(part), (std::vector<int64_t>{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(part.InWhole(1, 5), (std::vector<IndexRange>{{5, 9}}));
}

TEST(ParameterPart, HasColumnsOfARowParallelWeight) {
  const ParameterPart part = PartOf({2, 5}, {1}, 1, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(WholeIndices(part), (std::vector<int64_t>{2, 3, 4, 7, 8, 9}));
  EXPECT_EQ(part.InWhole(1, 5), (std::vector<IndexRange>{{3, 5}, {7, 9}}));
}

TEST(ParameterPart, HasRowsOfEachPart) {
  const ParameterPart part = PartOf({6, 1}, {0, 3}, 0, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(WholeIndices(part), (std::vector<int64_t>{0, 2, 4}));
  EXPECT_EQ(part.InWhole(0, 3), (std::vector<IndexRange>{{0, 1}, {2, 3}, {4, 5}}));
}

/// Four rows of q, two of k and of v.
TEST(ParameterPart, HasRowsOfEachPartWhereTheyAreUnequallyWide) {
  const ParameterPart part = PartOf({8, 2}, {0, {2, 1, 1}}, 1, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(WholeIndices(part), (std::vector<int64_t>{4, 5, 6, 7, 10, 11, 14, 15}));
  EXPECT_EQ(part.InWhole(1, 6), (std::vector<IndexRange>{{5, 8}, {10, 12}}));
  std::vector<float> whole(16), own(8), back(16);
  for (size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<float>(i);
  CopyFromWhole(part, sizeof(float), whole.data(), own.data());
  EXPECT_EQ(own, (std::vector<float>{4, 5, 6, 7, 10, 11, 14, 15}));
  CopyToWhole(part, sizeof(float), own.data(), back.data());
  EXPECT_EQ(back, (std::vector<float>{0, 0, 0, 0, 4, 5, 6, 7, 0, 0, 10, 11, 0, 0, 14, 15}));
}

TEST(ParameterPart, IsCopiedFromTheWholeAndBack) {
  const ParameterPart part = PartOf({2, 5}, {1}, 1, 2);
  const std::vector<float> whole = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> own(part.numel()), back(whole.size());
  CopyFromWhole(part, sizeof(float), whole.data(), own.data());
  EXPECT_EQ(own, (std::vector<float>{2, 3, 4, 7, 8, 9}));
  CopyToWhole(part, sizeof(float), own.data(), back.data());
  EXPECT_EQ(back, (std::vector<float>{0, 0, 2, 3, 4, 0, 0, 7, 8, 9}));
}

TEST(ParameterPart, IsTheWholeWhereItIsReplicated) {
  const ParameterPart part = PartOf({2, 3}, {}, 1, 2);
  EXPECT_TRUE(part.replicated);
  EXPECT_EQ(part.InWhole(0, 6), (std::vector<IndexRange>{{0, 6}}));
  EXPECT_EQ(part.OwnIndex(5), 5);
}

TEST(ParameterPart, IsEmptyWhereRanksOutnumberRows) {
  const ParameterPart part = PartOf({1, 3}, {0}, 0, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(part.OwnIndex(0), -1);
}

/// Every element has one rank, and both ways agree.
TEST(ParameterPart, OfAllRanksTileTheWhole) {
  for (const TensorCut& cut : {TensorCut{0}, TensorCut{1}, TensorCut{0, 3}, TensorCut{0, {4, 1, 1}}}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      std::vector<int> holders(6 * 7);
      for (int rank = 0; rank < ranks; ++rank) {
        const ParameterPart part = PartOf({6, 7}, cut, rank, ranks);
        const std::vector<int64_t> indices = WholeIndices(part);
        for (size_t i = 0; i < indices.size(); ++i) {
          ++holders[indices[i]];
          EXPECT_EQ(part.OwnIndex(indices[i]), static_cast<int64_t>(i));
        }
      }
      EXPECT_EQ(holders, std::vector<int>(6 * 7, 1)) << ranks << " ranks, dimension " << cut.dimension;
    }
  }
}

}  // namespace
}  // namespace zerocts::engine
