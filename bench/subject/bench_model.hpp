// The model whose parameters the ranks of a benchmark update, or which they train.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/model_spec.hpp"

namespace zerocts {

struct BenchModel {
  std::string name;  // without a path
  std::vector<ParameterSpec> parameters;
  std::optional<GptSpec> gpt{};  // none: shapes alone, which cannot be trained
  int64_t numel() const;
};

/// As `zerocts plan` names models (conformance/plans/models.hpp). A file gives shapes alone. Throws UsageError.
BenchModel BenchModelNamed(const std::string& word);

}  // namespace zerocts
