#include "conformance/plans/fuzz/native_planner.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conformance/plans/fuzz/answer.hpp"
#include "conformance/plans/fuzz/planning_request.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/ours/our_plans.hpp"

namespace zerocts {
namespace {

class FunctionPlanner : public Planner {
 public:
  explicit FunctionPlanner(std::function<std::string(const std::string&)> answer) : answer_(std::move(answer)) {}
  std::string Answer(const std::string& request) override { return answer_(request); }

 private:
  std::function<std::string(const std::string&)> answer_;
};

/// Our plans travel in one bucket; a request for smaller ones is refused, not ignored.
std::string AnswerBy(const std::string& name, const std::string& line) {
  const PlanningRequest request = RequestFromText(line);
  if (request.bucket != 0) return RefusalLine("plans by name have no buckets");
  try {
    std::string text = JsonText(plan::MakePlan({.planner = name,
                                                .model = request.model,
                                                .stage = request.stage,
                                                .ranks = request.replicas * request.shards,
                                                .replicas = request.replicas,
                                                .alignment = request.alignment}));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  } catch (const std::invalid_argument& wrong) {
    return RefusalLine(wrong.what());
  }
}

}  // namespace

std::unique_ptr<Planner> PlannerOf(std::function<std::string(const std::string&)> answer) {
  return std::make_unique<FunctionPlanner>(std::move(answer));
}

std::unique_ptr<Planner> NativePlanner(const std::string& name) {
  return PlannerOf([name](const std::string& line) { return AnswerBy(name, line); });
}

}  // namespace zerocts
