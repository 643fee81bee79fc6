// Pairs of named values (dimensions/) of two dimensions that a clause varies: which of them cases have.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/draws/case_space.hpp"

namespace zerocts {

using ValuePairs = std::set<uint32_t>;  // numbers of a PairTable

/// Numbers the pairs of a clause: equal arguments give equal numbers.
class PairTable {
 public:
  /// Takes the dimensions that every clause varies or this one asks for, where two values or more are available.
  PairTable(const CaseSpace& space, const RunTerms& terms);

  /// Adds all that the case has. A value that is not available in the run is in none.
  void Add(const Case& c, ValuePairs& pairs) const;

 private:
  struct Varied {
    const Dimension* dimension;
    std::vector<std::string> names;
    uint32_t first;  // number of its first name
  };

  std::vector<Varied> varied_;
  uint32_t names_ = 0;  // of all dimensions
};

/// The pairs in `cases` cases as they are drawn for the space under the conditions; none is run. Expects Missing() ==
/// "".
ValuePairs PairsOfDraws(const PairTable& table, const CaseSpace& space, const CaseConditions& conditions,
                        const Capabilities& can, uint64_t seed, int cases);

}  // namespace zerocts
