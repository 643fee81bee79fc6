#include "conformance/plans/fuzz/answer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr const char* kUnimplemented = "unimplemented";
constexpr const char* kFailed = "failed";

/// The text of {"kind": text}, or "".
std::string Said(const json& value, const char* kind) {
  const bool says = value.is_object() && value.size() == 1 && value.contains(kind) && value[kind].is_string();
  return says ? "it says: " + value[kind].get<std::string>() : "";
}

/// The plan keeps to what it promises, and to what was asked of it.
void AddPromises(const PlanningRequest& request, plan::Plan& plan) {
  if (plan.alignment % request.alignment != 0) plan.alignment = request.alignment;
  if (request.balance) plan.balance = std::min(plan.balance.value_or(*request.balance), *request.balance);
}

/// The first state that a stage divides; the states behind it are divided too.
int FirstDivided(int stage) { return stage == 0 ? 3 : stage == 1 ? 2 : stage == 2 ? 1 : 0; }

}  // namespace

Answer ReadAnswer(const std::string& line, const PlanningRequest& request) {
  try {
    const json value = ParseJson(line);
    const std::string unimplemented = Said(value, kUnimplemented), failed = Said(value, kFailed);
    if (!unimplemented.empty()) return {.refusal = unimplemented};
    if (!failed.empty()) return {.problem = failed};
    const plan::Plan asked{.model = request.model, .mesh = HybridMesh(request.replicas, request.shards)};
    plan::Plan plan = plan::PlanFromJson(value, &asked);
    AddPromises(request, plan);
    return {.plan = std::move(plan)};
  } catch (const std::invalid_argument& wrong) {
    return {.problem = wrong.what()};
  }
}

std::string AnswersSomethingElse(const plan::Plan& plan, const PlanningRequest& request) {
  if (plan.model != request.model) return "the plan is of another model than the one that was asked for";
  const Mesh mesh = HybridMesh(request.replicas, request.shards);
  if (plan.mesh != mesh)
    return fmt::format("the plan is for mesh {}: expected {}", ToString(plan.mesh), ToString(mesh));
  for (const plan::State state : plan::kStates) {
    const bool divided = static_cast<int>(state) >= FirstDivided(request.stage);
    const plan::Sharding* sharding = plan.sharding(state);
    if (divided && !sharding && request.shards > 1)
      return fmt::format("{} are whole: expected them divided in stage {}", NameOf(state), request.stage);
    if (!divided && sharding && plan::Group(plan.mesh, sharding->axes).shards() > 1)
      return fmt::format("{} are divided: expected them whole in stage {}", NameOf(state), request.stage);
  }
  return "";
}

std::string RefusalLine(const std::string& why) { return Dumped(json({{kUnimplemented, why}})); }

}  // namespace zerocts
