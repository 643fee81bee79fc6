// Where a run writes unless --out says so.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

/// Letters, digits, dots and dashes stay, at most 64 of them; the others become "_".
std::string AsFileName(std::string name);
inline constexpr size_t kLongestFileName = 64;

/// A name that can be read from the folder: "plugin:/a/b/toy.so" gives "toy", a plugin called native "plugin-native",
/// "exec:python3 my_rank.py --eager" "my_rank.py_--eager", "torch:mine.py:Sharded" "mine.py_Sharded". Where
/// another subject has the folder already, a mark of this one follows.
std::string DefaultFolder(const SubjectSpec& subject, uint64_t seed);

}  // namespace zerocts
