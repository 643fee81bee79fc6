// Sampled gradients of one step with the terms that they must be made of, and which mistake would explain them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zerocts::watch {

/// One element of a parameter's gradient, as the optimizer of a rank is given it.
struct GradientSample {
  std::string name;
  int rank = 0;
  int64_t position = 0;
  double got = 0;
  std::vector<int> ranks;                   // that reduce it
  std::vector<std::vector<double>> terms;   // of each of them, of each micro-batch
  double unit_roundoff = 0, near_zero = 0;  // of the dtype: what a rounding may cost, relative, and near 0
  double expected_factor = 1;               // clip / W
  bool is_promised = true;                  // a framework reduces it, without code of the user in between
  size_t zeroed = 0;                        // micro-batches before the last call of zero_grad
  double slack = 0;                         // of the factor, relative: the clip coefficient is known no better
};

/// What is added, of all terms.
struct TermSum {
  double total = 0, error = 0;  // error: of any order of additions in the dtype, and of the factor's rounding
  double near_zero = 0;         // of all roundings there, before and after the factor
};
TermSum AllTerms(const GradientSample& sample);

/// Lies `got` within the bounds of factor * the sum?
bool Explains(const GradientSample& sample, const TermSum& sum, double factor);

/// Could a factor be told from this sample? Not where its terms cancel.
bool IsTelling(const GradientSample& sample);

/// By how much all gradients are larger than they should be: 1 where they are right. The median.
double CommonFactor(const std::vector<const GradientSample*>& samples);

/// "a sum in place of a mean": the first mistake that explains every sample; nothing where none does.
struct Mistake {
  std::string text;
  size_t drops_first = 0;  // so many micro-batches count for nothing, as after zero_grad behind them
};
std::optional<Mistake> MistakeOf(const std::vector<const GradientSample*>& samples);

}  // namespace zerocts::watch
