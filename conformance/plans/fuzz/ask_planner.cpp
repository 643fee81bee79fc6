#include "conformance/plans/ask_planner.hpp"

#include <fmt/format.h>

#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/plans/fuzz/answer.hpp"
#include "conformance/plans/fuzz/planner.hpp"
#include "conformance/plans/fuzz/planning_request.hpp"
#include "reference/plan/ours/our_plans.hpp"

namespace zerocts {
namespace {

constexpr std::chrono::minutes kDeadline{2};  // a large model on many ranks, and the import of a framework

}  // namespace

std::vector<std::string> PlannersByName() {
  std::vector<std::string> names = plan::PlannerNames();
  for (const FrameworkSubject& planner : FrameworkPlanners()) names.push_back(planner.name);
  return names;
}

plan::Plan AskPlanner(const std::string& planner, const plan::Model& model, int replicas, int shards, int stage) {
  const PlanningRequest request{.model = model, .replicas = replicas, .shards = shards, .stage = stage};
  const auto fail = [&](const std::string& what) { throw UsageError(fmt::format("--plan {}: {}", planner, what)); };
  const NotedInterrupts interrupts;
  try {
    Answer answer = ReadAnswer(PlannerNamed(planner, kDeadline, "/dev/null")(0)->Answer(RequestLine(request)), request);
    if (!answer.refusal.empty()) fail(answer.refusal);
    if (!answer.plan) fail(answer.problem);
    return *std::move(answer.plan);
  } catch (const PlannerEnded& ended) {
    fail(fmt::format("it {}", ended.what()));
  } catch (const NoAnswer& wrong) {
    fail(fmt::format("it {}", wrong.what()));
  }
  throw std::logic_error("AskPlanner: no answer and no reason");
}

}  // namespace zerocts
