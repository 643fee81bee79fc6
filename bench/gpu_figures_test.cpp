#include "bench/gpu_figures.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

TEST(GpuFigures, BytesAreThoseThatAnOperationMustMove) {
  EXPECT_EQ(kCopy.bytes(), 8);
  EXPECT_EQ(kAdamW.bytes(), 28);
  EXPECT_EQ(kCast.bytes(), 6);
  EXPECT_EQ(kNorm.bytes(), 4);
  EXPECT_EQ(FoldOf(4).bytes(), 20);
}

TEST(GpuFigures, ProductsAreCountedBeyondInt32) { EXPECT_EQ(ProductFlop(4096, 4096, 4096), 137438953472.0); }

TEST(GpuFigures, AShareIsThePartOfTheBoundsRate) {
  const Figure adamw{"AdamW", 0.002, 28e6, "byte", "copy", 20e9, 0.9};
  EXPECT_DOUBLE_EQ(adamw.rate(), 14e9);
  EXPECT_DOUBLE_EQ(adamw.share(), 0.7);
  EXPECT_EQ(
      LineOf(adamw),
      R"({"figure":"AdamW","seconds":0.002,"rate":14000000000.0,"unit":"byte/s","bound":"copy","share":0.7,"goal":0.9})");
}

TEST(GpuFigures, WhatIsNotThereIsNotSaid) {
  EXPECT_EQ(LineOf({.name = "copy", .seconds = 0.5, .amount = 1, .unit = "byte"}),
            R"({"figure":"copy","seconds":0.5,"rate":2.0,"unit":"byte/s"})");
}

TEST(GpuFigures, AStepThatTakesTwiceAsLongHasHalfTheSpeed) {
  const Figure figure = Overhead("stage 3", 0.004, "stage 0", 0.002);
  EXPECT_DOUBLE_EQ(figure.share(), 0.5);
  EXPECT_EQ(nlohmann::json::parse(LineOf(figure))["bound"], "stage 0");
}

}  // namespace
}  // namespace zerocts
