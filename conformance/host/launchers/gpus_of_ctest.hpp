// Which GPUs ctest gave to a test that has RESOURCE_GROUPS, when it was given a list of them (--resource-spec-file).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zerocts {

using Variables = std::function<const char*(const char* name)>;  // as std::getenv

/// Their ids, group by group: GPUs as nvidia-smi counts them, where `zerocts gpus --ctest-spec` wrote the list.
/// std::nullopt: ctest has no list. Throws UsageError when the variables are not ctest's.
std::optional<std::vector<std::string>> GpusOfCtest(const Variables& variables);

/// This process and those that it starts see these GPUs alone, the first as number 0; all, where ctest has no list. To
/// be called before the first call of CUDA. How many they are; std::nullopt: ctest has no list.
std::optional<int> SeeOnlyGpusOfCtest();

}  // namespace zerocts
