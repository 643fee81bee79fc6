#include "conformance/cases/draws/model_shapes.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

plan::Model Model(const std::vector<std::vector<int64_t>>& shapes) {
  plan::Model model;
  for (const auto& shape : shapes) model.push_back({.name = "t", .shape = shape});
  return model;
}

TEST(ModelShapes, KeepTheFirstTwoBlocksOfAKind) {
  plan::Model model;
  for (const char* name :
       {"embed", "layers.0.w1", "layers.1.w1", "layers.2.w1", "layers.10.w1", "layers.1.experts.3.w"})
    model.push_back({.name = name, .shape = {4}});
  model.push_back({.name = "head", .shape = {4}, .tied_to = 0});
  const ModelShapes shapes = ShapesOf("m", model);
  ASSERT_EQ(shapes.tensors.size(), 3u);
  EXPECT_EQ(shapes.tensors[2].name, "layers.1.w1");
  EXPECT_EQ(shapes.Text(), "m (3 of 7 tensors, sizes scaled by the ranks)");
}

TEST(ModelShapes, KeepWhatIsLeftOverTheRanks) {
  const ModelShapes shapes =
      ShapesOf("m", Model({{50257, 768}, {1024, 768}, {8, 4096}, {4096}, {3, 5, 7, 7}, {7}, {}}));
  for (const int world_size : {1, 2, 3, 5, 8, 12, 64, 511, 512, 1024}) {
    const std::vector<ParameterSpec> scaled = ScaledFor(world_size, shapes);
    ASSERT_EQ(scaled.size(), shapes.tensors.size());
    for (size_t i = 0; i < scaled.size(); ++i) {
      const plan::Tensor& real = shapes.tensors[i];
      ASSERT_EQ(scaled[i].shape.size(), real.shape.size());
      EXPECT_EQ(scaled[i].numel() % world_size, real.numel() % world_size) << world_size << " ranks, tensor " << i;
      EXPECT_LE(scaled[i].numel(), real.numel());
      if (real.shape.empty()) continue;
      const int64_t rows = scaled[i].shape[0], real_rows = real.shape[0];
      EXPECT_EQ(rows % world_size, real_rows % world_size);
      EXPECT_EQ(rows < world_size, real_rows < world_size);
      EXPECT_LT(rows, 2 * world_size);
    }
  }
}

TEST(ModelShapes, AreSmall) {
  const std::vector<ParameterSpec> scaled = ScaledFor(512, ShapesOf("m", Model({{50257, 768}, {4096, 4096}})));
  EXPECT_EQ(scaled[0].shape, (std::vector<int64_t>{512 + 81, 256}));
  EXPECT_EQ(scaled[1].shape, (std::vector<int64_t>{512, 2}));
}

TEST(ModelShapes, AreGivenToAllCasesOfARun) {
  EXPECT_FALSE(GivenParameters({}, 3));
  const Constraints constraints = {{.option = "shapes",
                                    .words = {"m"},
                                    .holds = {},
                                    .shapes = std::make_shared<ModelShapes>(ShapesOf("m", Model({{10}})))}};
  EXPECT_EQ(GivenParameters(constraints, 3)->front().shape, std::vector<int64_t>{4});
}

}  // namespace
}  // namespace zerocts
