// Names, shapes and dtypes of safetensors files: their headers alone are read, however large the tensors are.
#pragma once
#include <string>

#include "reference/plan/plan.hpp"

namespace zerocts {

/// Throws UsageError: a header beyond 100 MB or the file, no JSON, an unknown dtype, offsets that do not fit shapes,
/// overlap, leave a gap, or end elsewhere than the file.
plan::Model ModelOfSafetensors(const std::string& path);

/// Of "model.safetensors.index.json" and the files that it names, in the order of their names; each beside the index.
/// Throws UsageError also when a tensor is in no file, in two, or not in the index.
plan::Model ModelOfIndex(const std::string& path);

}  // namespace zerocts
