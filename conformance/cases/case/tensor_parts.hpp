// Which elements of each parameter a tensor rank has, as the model declares it (TensorCut in
// reference/model/model_spec.hpp).
#pragma once
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// [parameters], each ascending, in elements of the whole parameter; intervals that touch are one. With one tensor
/// rank, and of what is replicated, everything.
std::vector<std::vector<Interval>> PartsOfTensorRank(const Case& c, int tensor_rank);

/// [parameters], in the shapes of those parts.
std::vector<ParameterSpec> ParametersOfTensorRank(const Case& c, int tensor_rank);

/// [parameters]: does every tensor rank have all of it?
std::vector<bool> AreReplicated(const Case& c);

/// Is there a parameter whose parts differ in size?
bool CutsUnevenly(const Case& c);

}  // namespace zerocts
