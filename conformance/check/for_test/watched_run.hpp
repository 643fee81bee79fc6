// A run that was observed without a fault, for tests to change.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/compare/compare.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {

struct Watched {
  Case c;
  Ownership owned;
  Expected expected;
  std::vector<RankObservation> ranks;

  explicit Watched(Case of)
      : c(std::move(of)), owned(ContiguousOwnership(c)), expected(ExpectedOf(c, OrderOf(c, owned))) {
    ranks = PerfectObservation(c, expected, owned);
  }

  std::optional<Finding> Compare(const CompareOptions& options = {}) const {
    return CompareWithReference(c, ranks, expected, options);
  }

  TensorRecord& Record(int rank, const std::string& what, int64_t step, int parameter) {
    for (TensorRecord& record : ranks[rank].tensors) {
      if (record.what == what && record.step == step && record.parameter == parameter) return record;
    }
    throw std::logic_error("no such record");
  }
};

inline void FlipLastBit(float& x) { x = FromBits(Bits(x) ^ 1u); }

}  // namespace zerocts
