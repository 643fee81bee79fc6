// Names, shapes and dtypes of safetensors files: their headers alone are read, however large the tensors are.
#pragma once
#include <string>

#include "reference/experiment/json_text.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// Throws UsageError: a header beyond 100 MB or the file, no JSON, an unknown dtype, offsets that do not fit shapes,
/// overlap, leave a gap, or end elsewhere than the file.
plan::Model ModelOfSafetensors(const std::string& path);

struct SafetensorsHeader {
  plan::Model tensors;
  std::string bytes;  // as they stand in the file, with the length before them
};
inline constexpr JsonLimits kHeaderLimits{.bytes = 100'000'000};  // as the library's own limit
SafetensorsHeader HeaderOfSafetensors(const std::string& path, const JsonLimits& limits = kHeaderLimits);

/// The tensors of the files that "model.safetensors.index.json" names, in the order of the files' names; each file is
/// beside the index. Throws UsageError also when a tensor is in no file, in two, or not in the index.
plan::Model ModelOfIndex(const std::string& path);

}  // namespace zerocts
