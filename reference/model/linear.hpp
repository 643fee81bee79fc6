// Linear layer: out = in weight^T + bias.
#pragma once
#include <string>

#include "reference/model/unit.hpp"

namespace zerocts {

class Linear : public Unit {
 public:
  /// In bf16 the operands of its products (in, upstream) are rounded in place; the weight is representable already.
  Linear(std::string name, int64_t I, int64_t O, Precision precision)
      : name_(std::move(name)), I_(I), O_(O), precision_(precision) {}

  /// weight [O, I], bias [O]
  std::vector<ParameterSpec> parameters() const override;
  /// in [B, I], out [B, O]
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  void RoundOperand(Ops& ops, float* operand, int64_t numel);
  Operands operands() const { return precision_ == Precision::kBf16 ? Operands::kBf16 : Operands::kFp32; }

  std::string name_;
  int64_t I_, O_;
  Precision precision_;
  float* in_ = nullptr;            // [B, I], the caller's
  std::vector<float> out_;         // [B, O]
  std::vector<float> downstream_;  // [B, I]
};

}  // namespace zerocts
