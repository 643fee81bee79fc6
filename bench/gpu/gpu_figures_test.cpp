#include "bench/gpu/gpu_figures.hpp"

#include <gtest/gtest.h>

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
  const GpuFigure adamw{"AdamW", 0.002, 28e6, "byte", "copy", 20e9, 0.9};
  EXPECT_DOUBLE_EQ(adamw.rate(), 14e9);
  EXPECT_DOUBLE_EQ(adamw.share(), 0.7);
  Figures figures;
  AddTo(figures, adamw);
  const BenchRecord& record = figures.records().front();
  EXPECT_EQ(record.name, "AdamW");
  EXPECT_EQ(record.unit, "byte/s");
  EXPECT_EQ(record.direction, Direction::kBigger);
  EXPECT_DOUBLE_EQ(*record.value, 14e9);
  EXPECT_EQ(record.bound->name, "copy");
  EXPECT_EQ(record.bound->value, 20e9);
  EXPECT_EQ(record.parameters, (Parameters{{"seconds", 0.002}, {"goal", 0.9}}));
}

TEST(GpuFigures, WhatIsNotThereIsNotSaid) {
  Figures figures;
  AddTo(figures, {.name = "copy", .seconds = 0.5, .amount = 1, .unit = "byte"});
  AddTo(figures, {.name = "step", .seconds = 0.5});
  EXPECT_EQ(figures.records()[0].value, 2);
  EXPECT_FALSE(figures.records()[0].bound);
  EXPECT_FALSE(figures.records()[0].parameters.contains("goal"));
  EXPECT_EQ(figures.records()[1].unit, "s");
  EXPECT_EQ(figures.records()[1].value, 0.5);
}

TEST(GpuFigures, AStepThatTakesTwiceAsLongHasHalfTheSpeed) {
  const GpuFigure figure = Overhead("stage 3", 0.004, "stage 0", 0.002);
  EXPECT_DOUBLE_EQ(figure.share(), 0.5);
  EXPECT_EQ(figure.bound, "stage 0");
}

}  // namespace
}  // namespace zerocts
