#include "conformance/plans/fuzz/planner_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/own_program.hpp"
#include "conformance/plans/fuzz/native_planner.hpp"
#include "conformance/plans/fuzz/planner_process.hpp"
#include "reference/plan/ours/our_plans.hpp"

namespace zerocts {
namespace {

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
