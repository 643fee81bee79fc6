// For tests with a clause as parameter.
#pragma once
#include <algorithm>
#include <ostream>
#include <string>

#include "conformance/contract/clause.hpp"

namespace zerocts {

/// How GoogleTest names it.
inline void PrintTo(const Clause& clause, std::ostream* out) { *out << clause.id; }

/// "C_ZERO_001": GoogleTest takes no '-' in the name of a parameter.
inline std::string NameForTest(const Clause& clause) {
  std::string name = clause.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace zerocts
