// Where a subcommand of `zerocts plan` gets its plan from: a file, or a model and the name of one of our planners.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace zerocts {

struct PlanSource {
  std::string file;
  std::string model, planner = "contiguous";
  int ranks = 0, replicas = 1, stage = 3;
  long alignment = 1;
  std::vector<std::string> owners;
  std::vector<const CLI::Option*> options;  // that make a plan; none may stand beside a file

  /// Throws UsageError.
  plan::Plan Load() const;
  /// A list of intervals names no sizes: each tensor then ends where its last interval does.
  bool guesses_model() const { return file.ends_with(".csv") && model.empty(); }
};

/// `takes_file`: also a positional FILE.
std::shared_ptr<PlanSource> AddPlanSource(CLI::App& command, bool takes_file);

/// For what is asked of sound plans only. Throws UsageError with the first violation; `name` is what the user gave.
void RequireSound(const plan::Plan& plan, const std::string& name);

}  // namespace zerocts
