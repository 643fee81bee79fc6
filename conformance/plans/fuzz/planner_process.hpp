// A planner that reads requests on its standard input and writes answers to its standard output, a line each, in one
// process that is kept.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/plans/fuzz/planner.hpp"

namespace zerocts {

struct PlannerProcessSettings {
  std::vector<std::string> argv;
  std::string errors;  // file for its standard error, up to kMostOutputBytes
  std::chrono::milliseconds deadline = std::chrono::seconds(10);
  size_t most_bytes = size_t{64} << 20;  // of an answer
  int hash_seed = 0;                     // PYTHONHASHSEED
};

class ChildProcess;

class PlannerProcess : public Planner {
 public:
  explicit PlannerProcess(PlannerProcessSettings settings);
  ~PlannerProcess() override;  // kills it with all its descendants
  std::string Answer(const std::string& request) override;

 private:
  class Errors;
  class Pipes;
  void Start();
  void End();
  [[noreturn]] void ThrowEnded();

  PlannerProcessSettings settings_;
  std::unique_ptr<Pipes> pipes_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace zerocts
