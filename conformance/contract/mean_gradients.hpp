// The gradients of a case as they should arrive in its optimizer, and what arrived in their place.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/check/cause/factors.hpp"

namespace zerocts {

/// What compute sees of a value.
float AsSeen(const Experiment& experiment, double value);

/// The mean gradients of one case, computed from its data alone: no optimizer, no rank, no shard. The case outlives
/// them.
class MeanGradients {
 public:
  using Values = std::vector<double>;  // [numel], exact
  /// Could the element show this gradient in place of its own?
  using Explains = std::function<bool(double gradient)>;

  explicit MeanGradients(const Case& c) : e_(c.experiment), replicas_(c.replicas) {}

  Values Of(int64_t step, int parameter) const;

  /// Factors of its own gradient that explain what the element shows after this step.
  std::vector<Factor> Factors(int64_t step, int parameter, int64_t element, const Explains& explains) const;

  /// Why the element shows what it does after this step, "moved by .."; `factors`: text of its Factors. "": nothing
  /// explains it.
  std::string Explain(int64_t step, int parameter, int64_t element, const Explains& explains,
                      const std::string& factors) const;

 private:
  Values Gradient(int64_t step, int g, int parameter) const;
  int MicroBatches() const { return e_.world_size * e_.micro_batches; }
  double Divisor(int parameter) const { return static_cast<double>(MicroBatchesOfMean(e_, parameter)); }
  Values Parts(int64_t step, int parameter, int64_t element) const;
  std::string ExplainByMicroBatch(const Values& parts, const Explains& explains) const;
  std::string ExplainByRanksBefore(int64_t step, int parameter, int64_t element, double own,
                                   const Explains& explains) const;
  std::string ExplainByPart(const Values& parts, const Explains& explains) const;
  std::string ExplainByOtherElement(int64_t step, const Explains& explains) const;

  const Experiment& e_;
  int replicas_;
};

}  // namespace zerocts
