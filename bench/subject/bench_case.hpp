// The case that a benchmark of a subject runs on its ranks: one optimizer step of a model's size after the other, on
// given gradients, or on the model itself.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts {

/// Whose parameters the ranks of a benchmark update, or which they train.
struct BenchModel {
  std::string name;  // without a path
  std::vector<ParameterSpec> parameters;
  std::optional<GptSpec> gpt{};  // none: shapes alone, which cannot be trained
  int64_t numel() const;
};

/// As `zerocts plan` names models (conformance/plans/models.hpp). A file gives shapes alone. Throws UsageError.
BenchModel BenchModelNamed(const std::string& word);

/// How a subject is asked to arrange the work.
struct BenchArrangement {
  int stage = 1;
  std::string plan{};  // "": the subject's own
  Overlap overlap = Overlap::kAny;
  Offload offload = Offload::kNone;
  Precision precision = Precision::kFp32;
};

struct BenchSize {
  BenchModel model = BenchModelNamed("small");
  int ranks = 2;
  int64_t steps = 6;    // the first of which warms up
  bool trains = false;  // the subject runs the model on text; else it is given gradients
};

/// That all ranks together train on in one step; 0: they train no model.
int64_t TokensPerStep(const BenchSize& size);

/// AdamW where the subject declares it, else its first optimizer, in the formula that it declares. Observed is its
/// profile, its traffic where it counts that, and what a training hides where it tells what ran when. Throws UsageError
/// for a size that no case can have, and for a model that the subject does not run itself.
Case BenchCase(const Capabilities& can, const BenchArrangement& arrangement, const BenchSize& size);

/// Bytes that a rank gains in each step from which on it leaks: a two-hundredth of its share of the parameters, and
/// a few pages from the middle step to the last.
double LeastLeak(const BenchSize& size);
/// "2.369 kB in each step, 1.0 % of its share of the parameters"
std::string LeakInWords(double gained, const BenchSize& size);

/// Bytes that all ranks hold together where nothing is sharded: parameters, gradients and state of AdamW.
int64_t BytesWithoutSharding(const BenchArrangement& arrangement, const BenchSize& size);

}  // namespace zerocts
