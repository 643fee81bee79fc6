// What makes a case senseless: its experiment, or how that is arranged.
#include "conformance/cases/case.hpp"
#include "reference/experiment/problem_sentences.hpp"

namespace zerocts {
namespace {

std::string ReplicasProblem(const Case& c) {
  if (c.replicas < 1 || c.world_size() % c.replicas != 0) {
    return Sentence("case.replicas", "a divisor of the world size " + std::to_string(c.world_size()), c.replicas);
  }
  if (c.stage == 0 && c.replicas > 1) {
    return Sentence("case.replicas", "1 in stage 0, which has no sharding groups", c.replicas);
  }
  return "";
}

std::string OffloadProblem(const Case& c) {
  if (c.offload == Offload::kNone || c.stage > 0) return "";
  return Sentence("case.offload", "none in stage 0, in which no rank has a shard to keep on the host",
                  ToString(c.offload));
}

std::string MemoryEstimateProblem(const Case& c) {
  if (!c.observe_memory_estimate || c.observe_memory) return "";
  return Sentence("case.observe_memory_estimate", "false where observe_memory is false", "true");
}

/// A parameter of which zeros are given is updated, by a decay for instance.
std::string MissingAsNullProblem(const Case& c) {
  if (c.missing_as_null) return "";
  const Experiment& e = c.experiment;
  for (int64_t step = 0; step < e.steps; ++step) {
    for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
      if (!e.roles.HasState(p) || e.roles.IsFrozen(p, step) || IsUpdated(e, p, step)) continue;
      return "case.missing_as_null: expected true because in step " + std::to_string(step) +
             " no micro-batch has a gradient for " + e.parameters[static_cast<size_t>(p)].name +
             ", which zeros do not say, got false";
    }
  }
  return "";
}

}  // namespace

std::string Problem(const Case& c) {
  const std::string problem = Problem(c.experiment);
  return problem.empty() ? First(ReplicasProblem(c), OffloadProblem(c), MemoryEstimateProblem(c), MissingAsNullProblem(c)) : "experiment." + problem;
}

}  // namespace zerocts
