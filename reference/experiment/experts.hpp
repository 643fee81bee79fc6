// Experts: parameters that only every E-th rank has.
#pragma once
#include <string>
#include <vector>

#include "reference/model/model_spec.hpp"

namespace zerocts {

/// `parameter` belongs to `expert`.
struct ExpertParameter {
  int parameter = 0, expert = 0;
  friend bool operator==(const ExpertParameter&, const ExpertParameter&) = default;
};

/// The micro-batches that the mean of an expert's gradients divides by: W * K of all ranks, or those of its own ranks.
enum class ExpertDivisor { kWorld, kGroup };
std::string ToString(ExpertDivisor divisor);  // "world", "group"
ExpertDivisor ExpertDivisorFromString(const std::string& name);

/// Rank r has the parameters of expert r mod E, and those of no expert (dense ones), which every rank has. The
/// micro-batches of the other ranks have no gradient for an expert: they are absent from the sum.
struct Experts {
  static constexpr int kDense = kOfNoExpert;

  int count = 1;                            // E, a divisor of the world size; 1: all parameters are dense
  std::vector<ExpertParameter> parameters;  // each once
  ExpertDivisor divisor = ExpertDivisor::kWorld;

  int ExpertOf(int parameter) const;  // kDense: of none
  bool Has(int rank, int parameter) const;
  /// Whose parameters the rank has; its micro-batches go through them.
  int OfRank(int rank) const { return rank % count; }

  friend bool operator==(const Experts&, const Experts&) = default;
};

/// Those of a model's own layers.
Experts ExpertsOf(const ModelSpec& model);

}  // namespace zerocts
