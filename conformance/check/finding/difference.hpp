// The first element in which two pieces of a tensor differ.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/divergence.hpp"

namespace zerocts {

struct Difference {
  int64_t first = 0;      // index into the piece
  int64_t differing = 0;  // elements
};

/// By bits; every NaN is one NaN, -0 differs from +0. Sizes are equal.
std::optional<Difference> DifferenceOf(std::span<const float> expected, std::span<const float> got);

/// Step, phase and tensor come from the record; `expected` are the values of the record's interval.
Divergence DivergenceAt(const Experiment& experiment, int rank, const TensorRecord& record,
                        std::span<const float> expected, const Difference& difference);

/// A scalar of a step, such as the norm; element and interval stay zero.
Divergence ScalarDivergence(int64_t step, Phase phase, int rank, const std::string& name, float expected, float got);

/// The divergence in the loss of micro-batch k of a rank; nothing where the bits are equal, or both are NaN.
std::optional<Divergence> LossDivergence(int64_t step, int rank, size_t k, double expected, double got);

}  // namespace zerocts
