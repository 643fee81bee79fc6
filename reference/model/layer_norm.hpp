// Layer normalisation over the channels of a row.
#pragma once
#include <string>

#include "reference/model/row_sum.hpp"
#include "reference/model/unit.hpp"

namespace zerocts {

class LayerNorm : public Unit {
 public:
  /// `rows` per sequence, of C channels.
  LayerNorm(std::string name, int64_t rows, int64_t C) : LayerNorm(std::move(name), rows, C, OverRows(rows)) {}
  /// The same with a sum of the caller's, for the gradients of weight and bias.
  LayerNorm(std::string name, int64_t rows, int64_t C, RowSum over_rows)
      : name_(std::move(name)), rows_(rows), C_(C), over_rows_(std::move(over_rows)) {}

  /// weight [C], bias [C]
  std::vector<UnitParameter> parameters() const override {
    return {{{name_ + ".weight", {C_}, 1}, Constant(1.0f)}, {{name_ + ".bias", {C_}, 1}, Constant(0.0f)}};
  }
  /// R = B * rows. in, out [R, C]; leaves `in` as it is.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    const int64_t R = batch.size * rows_;
    in_ = in;
    mean_.Resize(*batch.memory, R);
    rstd_.Resize(*batch.memory, R);
    out_.Resize(*batch.memory, R * C_);
    ops.LayerNorm(out_.data(), mean_.data(), rstd_.data(), in_, parameters[0], parameters[1], kEpsilon, R, C_);
    return out_.data();
  }
  /// In place: the gradient stands where `upstream` did.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    const auto gradients_of = [&](float* sums, const IndexRange& rows) {
      const int64_t first = rows.begin * C_;
      ops.LayerNormGradient(upstream + first, sums, sums + C_, upstream + first, in_ + first, mean_.data() + rows.begin,
                            rstd_.data() + rows.begin, parameters[0], rows.numel(), C_);
    };
    float* sums = gradients_.Resize(*batch.memory, 2 * C_);
    over_rows_.Evaluate(ops, batch, gradients_of, sums, 2 * C_);
    ops.Copy(gradients[0], sums, C_ * sizeof(float));
    ops.Copy(gradients[1], sums + C_, C_ * sizeof(float));
    return upstream;
  }

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
