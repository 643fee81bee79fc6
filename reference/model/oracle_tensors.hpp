// Oracle: tensors of any kind of number, and where bf16 rounds.
#pragma once
#include <vector>

#include "reference/model/measured.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::oracle {

template <typename N>
using Vector = std::vector<N>;
template <typename N>
using Tensors = std::vector<std::vector<N>>;

template <typename N>
void RoundOperand(Precision precision, Vector<N>& operand) {
  if (precision == Precision::kFp32) return;
  for (N& x : operand) x = ToBf16Error(x);
}

}  // namespace zerocts::oracle
