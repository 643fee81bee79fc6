// Layer normalisation over the channels of a row.
#pragma once
#include <string>

#include "reference/model/row_sum.hpp"

namespace zerocts {

class LayerNorm : public Unit {
 public:
  /// `rows` per sequence, of C channels.
  LayerNorm(std::string name, int64_t rows, int64_t C) : LayerNorm(std::move(name), rows, C, OverRows(rows)) {}
  /// The same with a sum of the caller's, for the gradients of weight and bias.
  LayerNorm(std::string name, int64_t rows, int64_t C, RowSum over_rows)
      : name_(std::move(name)), rows_(rows), C_(C), over_rows_(std::move(over_rows)) {}

  /// weight [C], bias [C]
  std::vector<UnitParameter> parameters() const override;
  /// R = B * rows. in, out [R, C]; leaves `in` as it is.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// In place: the gradient stands where `upstream` did.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  static constexpr float kEpsilon = 1e-5f;

  std::string name_;
  int64_t rows_, C_;
  const float* in_ = nullptr;  // [R, C], the caller's
  Tensor<float> mean_, rstd_;  // [R]
  Tensor<float> out_;          // [R, C]
  RowSum over_rows_;
  Tensor<float> gradients_;  // [2, C]: of weight and bias, which one operation makes
};

}  // namespace zerocts
