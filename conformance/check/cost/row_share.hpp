// Where rows are not cut, some shares are larger than others.
#pragma once
#include <cstdint>

#include "reference/model/model_spec.hpp"

namespace zerocts {

/// Elements of the largest of W shares of a parameter, which are whole rows: ceil(rows / W) of them.
inline int64_t RowShare(const ParameterSpec& parameter, int64_t W) {
  if (parameter.numel() == 0) return 0;
  const int64_t rows = parameter.shape.empty() ? 1 : parameter.shape[0];
  return (rows + W - 1) / W * (parameter.numel() / rows);
}

}  // namespace zerocts
