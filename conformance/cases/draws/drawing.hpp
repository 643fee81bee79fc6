// A case that is being drawn, and what it may have.
#pragma once
#include <vector>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/cases/draws/draws.hpp"

namespace zerocts {

/// What the space, the conditions and the subject allow in common.
struct Allowed {
  std::vector<int> stages;
  std::vector<OptimizerKind> optimizers;
  std::vector<std::string> plans;  // empty: the subject's own
  std::vector<GradientSource> gradients;
  std::vector<std::string> reduction_orders;  // with defined bits
  std::vector<GradientSync> gradient_sync;
  int min_replicas = 1;
  bool whole_layers = true;  // are there cases without tensor ranks?
};

struct Drawing {
  const CaseSpace& space;
  const CaseConditions& conditions;
  const Capabilities& can;  // at the precision of the conditions
  const Allowed& allowed;
  const int size;  // from 0 to 100
  Draws& draws;
  bool varied = false;   // does the clause ask for the dimension that draws now?
  float norm_ratio = 0;  // of max_norm to the norm of the first step, which is known in the end; 0: not clipped
  Case c = {};
  Experiment& e = c.experiment;

  /// Gradients that the host gives, not a model's.
  bool given() const { return e.gradients != GradientSource::kModel; }
  int parameters() const { return static_cast<int>(e.parameters.size()); }
  int64_t micro_batches_of_all_ranks() const { return int64_t{e.world_size} * e.micro_batches; }
};

}  // namespace zerocts
