#include "conformance/plans/decoder_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zerocts {
namespace {

int64_t ElementsOf(const std::string& name) {
  const plan::Model model = *DecoderNamed(name);
  int64_t elements = 0;
  for (const plan::Tensor& tensor : model) elements += tensor.numel();
  return elements;
}

/// As their publishers count them.
TEST(DecoderModels, HaveTheirNumberOfParameters) {
  EXPECT_EQ(ElementsOf("llama-3-8b"), 8'030'261'248);
  EXPECT_EQ(ElementsOf("llama-3-70b"), 70'553'706'496);
  EXPECT_EQ(ElementsOf("mixtral-8x7b"), 46'702'792'704);
  EXPECT_FALSE(DecoderNamed("llama"));
}

TEST(DecoderModels, HaveTheNamesOfTheirCheckpoints) {
  const plan::Model model = *DecoderNamed("mixtral-8x7b");
  const auto shape_of = [&](const std::string& name) {
    const auto tensor = std::ranges::find(model, name, &plan::Tensor::name);
    return tensor == model.end() ? std::vector<int64_t>{} : tensor->shape;
  };
  EXPECT_EQ(shape_of("model.layers.31.self_attn.k_proj.weight"), (std::vector<int64_t>{1024, 4096}));
  EXPECT_EQ(shape_of("model.layers.0.block_sparse_moe.experts.7.w2.weight"), (std::vector<int64_t>{4096, 14336}));
  EXPECT_EQ(shape_of("lm_head.weight"), (std::vector<int64_t>{32000, 4096}));
}

}  // namespace
}  // namespace zerocts
