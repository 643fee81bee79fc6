// For tests with a clause as parameter.
#pragma once
#include <ostream>

#include "conformance/contract/clause.hpp"

namespace zerocts {

/// How GoogleTest names it.
inline void PrintTo(const Clause& clause, std::ostream* out) { *out << clause.id; }

}  // namespace zerocts
