// What `zerocts run` trains, and on which ranks: a case made of options.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cli/train/train_experiment.hpp"

namespace zerocts {

/// Texts as they were typed; an empty one leaves the choice to the subject.
struct RunOptions {
  TrainOptions training;
  std::string ranks = "2", tensor = "1", replicas = "1", stage, plan, order;
  std::string overlap = "any", offload = "none";
};

struct RunCase {
  Case c;
  std::vector<std::string> notes;  // what is not as usual, for the subject declares less
};

/// Both throw UsageError.
int RanksOf(const RunOptions& options);
RunCase CaseOf(const RunOptions& options, const Capabilities& can);

}  // namespace zerocts
