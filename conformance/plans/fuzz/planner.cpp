#include "conformance/plans/fuzz/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/plans/fuzz/answer.hpp"
#include "conformance/plans/fuzz/planner_process.hpp"
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

constexpr std::string_view kPlugin = "plugin:";

std::vector<std::string> ArgumentsOf(const std::string& word) {
  for (const FrameworkSubject& planner : FrameworkPlanners())
    if (planner.name == word) return ArgumentsOf(planner, PythonFor(planner, {}));
  if (!word.starts_with(kPlugin)) return {"/bin/sh", "-c", word};
  const std::string path = word.substr(kPlugin.size());
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(fmt::format("--planner {}: expected a library's file; check the path", word));
  return {OwnProgram(), "plan", "answer", path};
}

}  // namespace

std::unique_ptr<Planner> PlannerOf(std::function<std::string(const std::string&)> answer) {
  return std::make_unique<FunctionPlanner>(std::move(answer));
}

std::unique_ptr<Planner> NativePlanner(const std::string& name) {
  return PlannerOf([name](const std::string& line) { return AnswerBy(name, line); });
}

MakePlanner PlannerNamed(const std::string& word, std::chrono::milliseconds deadline, const std::string& errors) {
  const std::vector<std::string>& names = plan::PlannerNames();
  if (std::find(names.begin(), names.end(), word) != names.end()) return [word](int) { return NativePlanner(word); };
  const PlannerProcessSettings settings{.argv = ArgumentsOf(word), .errors = errors, .deadline = deadline};
  return [settings](int which) {
    PlannerProcessSettings own = settings;
    own.hash_seed = which;
    return std::make_unique<PlannerProcess>(own);
  };
}

bool CannotStart(const std::string& word, const std::string& ended) {
  if (word.starts_with(kPlugin)) return ended.starts_with("exited with 2 ");
  return ended.starts_with("exited with 127 ") || ended.starts_with("exited with 126 ");
}

}  // namespace zerocts
